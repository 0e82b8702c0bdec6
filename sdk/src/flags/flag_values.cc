#include "flags/flag_values.h"

#include <gflags/gflags.h>

#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "base/option_range.h"

namespace gcsflux::internal {
namespace {

// gflags and the range have checked the text.
template <class T>
T ValueOf(const std::string& text) {
  if constexpr (std::is_same_v<T, std::string>) {
    return text;
  } else if constexpr (std::is_same_v<T, bool>) {
    return text == "true";
  } else if constexpr (std::is_same_v<T, double>) {
    return std::strtod(text.c_str(), nullptr);
  } else if constexpr (std::is_integral_v<T>) {
    T value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  } else {
    return std::chrono::duration_cast<T>(std::chrono::milliseconds(std::llround(ValueOf<double>(text) * 1000)));
  }
}

}  // namespace

std::string TextOfFlag(const std::string& flag) {
  return gflags::GetCommandLineFlagInfoOrDie(flag.c_str()).current_value;
}

Result<void> ReadFlags(std::initializer_list<FlagOption> options) {
  for (const auto& [flag, option] : options) {
    const std::string text = TextOfFlag(flag);
    if (const OptionRange* const range = FindRange(flag)) {
      if (auto checked = CheckRanges({{"flag --" + flag, *range, ValueOf<double>(text)}}); !checked) return checked;
    } else {
      assert(std::holds_alternative<bool*>(option) || std::holds_alternative<std::string*>(option));
    }
    std::visit([&](auto* value) { *value = ValueOf<std::remove_pointer_t<decltype(value)>>(text); }, option);
  }
  return {};
}

}  // namespace gcsflux::internal
