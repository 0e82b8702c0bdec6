#include "campaign/shrink_case.h"

#include <numeric>

#include "campaign/shrink.h"

namespace gcsflux::campaign {

Case ShrinkCase(const Case& c, const std::function<bool(const Case&)>& fails, const std::function<bool()>& is_stopped) {
  // The rules follow the steps.
  const auto with = [&](const std::vector<std::size_t>& items) {
    Case smaller = c;
    smaller.steps.clear();
    smaller.rules.clear();
    for (const std::size_t item : items) {
      if (item < c.steps.size()) {
        smaller.steps.push_back(c.steps[item]);
      } else {
        smaller.rules.push_back(c.rules[item - c.steps.size()]);
      }
    }
    return smaller;
  };
  std::vector<std::size_t> all(c.steps.size() + c.rules.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return with(Shrink<std::size_t>(
      all, [&](const std::vector<std::size_t>& items) { return fails(with(items)); }, is_stopped));
}

}  // namespace gcsflux::campaign
