#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace gcsflux::campaign {

/// Leaves out as many items as it can while the rest still fails (delta debugging, Zeller and Hildebrandt 2002: ddmin).
/// What is returned fails, and without any single one of its items it does not; unless `is_stopped`, which is asked
/// before each try: then it is the best so far. `items` must fail. The order of items stays.
template <class Item>
std::vector<Item> Shrink(
    std::vector<Item> items, const std::function<bool(const std::vector<Item>&)>& fails,
    const std::function<bool()>& is_stopped = [] { return false; }) {
  for (std::size_t size = (items.size() + 1) / 2; size > 0;) {
    bool has_shrunk = false;
    // From the end: what comes after the failure is never needed.
    for (std::size_t end = items.size(); end > 0;) {
      if (is_stopped()) return items;
      const std::size_t begin = end - std::min(size, end);
      std::vector<Item> rest(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(begin));
      rest.insert(rest.end(), items.begin() + static_cast<std::ptrdiff_t>(end), items.end());
      if (fails(rest)) {
        items = std::move(rest);
        has_shrunk = true;
      }
      end = begin;
    }
    if (size > 1) {
      size = (size + 1) / 2;
    } else if (!has_shrunk) {
      break;
    }
  }
  return items;
}

}  // namespace gcsflux::campaign
