#include "base/uuid.h"

#include <cstdint>
#include <string_view>

namespace gcsflux::internal {

std::string NewUuid(const Timing& timing) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
  constexpr char kHex[] = "0123456789abcdef";
  constexpr int kDigitsOfOne = 12;  // 48 of a double's 53 bits
  std::string id(kForm);
  std::uint64_t digits = 0;
  int left = 0;
  for (char& c : id) {
    if (c != 'x') continue;
    if (left == 0) {
      digits = static_cast<std::uint64_t>(timing.Random() * static_cast<double>(std::uint64_t{1} << 48));
      left = kDigitsOfOne;
    }
    c = kHex[digits & 15];
    digits >>= 4;
    --left;
  }
  return id;
}

}  // namespace gcsflux::internal
