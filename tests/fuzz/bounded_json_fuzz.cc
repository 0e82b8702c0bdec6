// JSON of any nesting: accepted documents are within the limits, and can be copied, merged and printed.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "input.h"
#include "json/bounded_json.h"
#include "settings/flat_json.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

// Without recursion, because that is the question.
JsonBounds Measure(const json& value) {
  JsonBounds measured{.depth = 0, .values = 0};
  std::vector<std::pair<const json*, std::size_t>> open = {{&value, 0}};
  while (!open.empty()) {
    const json* const at = open.back().first;
    const std::size_t around = open.back().second;
    open.pop_back();
    ++measured.values;
    if (!at->is_structured()) continue;
    measured.depth = std::max(measured.depth, around + 1);
    for (const json& inside : *at) open.emplace_back(&inside, around + 1);
  }
  return measured;
}

void CheckBounded(std::string_view text) {
  const JsonBounds bounds{.depth = 8, .values = 64};
  const json taken = ParseBoundedJson(text, bounds);
  const json whole = json::parse(text, nullptr, false);
  if (taken.is_discarded()) return;
  Require(!whole.is_discarded(), "what is malformed is not taken");
  const JsonBounds measured = Measure(taken);
  Require(measured.depth <= bounds.depth, "no more levels are taken");
  Require(measured.values <= bounds.values, "no more values are taken");
  json copy = taken;
  copy.merge_patch(taken);
  Require(taken == whole, "nothing is changed");
  static_cast<void>(copy.dump(-1, ' ', false, json::error_handler_t::replace));
}

// The limits of requests: accepted documents cannot exhaust the stack.
void CheckRequest(std::string_view text) {
  json taken = ParseBoundedJson(text);
  if (taken.is_discarded()) return;
  const json copy = taken;
  taken.merge_patch(copy);
}

void CheckSettings(std::string_view text) {
  try {
    static_cast<void>(ParseFlatJson(text));
  } catch (const std::invalid_argument&) {  // the only way to refuse
  }
}

}  // namespace
}  // namespace gcsflux::emulator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gcsflux::emulator;
  const std::string_view text = AsText(data, size);
  CheckBounded(text);
  CheckRequest(text);
  CheckSettings(text);
  Require(FindHugeNumber(text) <= text.size(), "a number is within the text");
  return 0;
}
