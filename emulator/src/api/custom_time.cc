#include "api/custom_time.h"

#include <array>
#include <chrono>
#include <cstdio>

#include "base/parse_time.h"
#include "base/time_format.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kSeconds = std::string_view("2026-11-20T06:25:00").size();

}  // namespace

std::optional<std::string> ReadCustomTime(std::string_view text) {
  const std::optional<Time> time = ParseRfc3339(text);
  if (!time) return std::nullopt;
  const auto fraction = std::chrono::nanoseconds(*time - std::chrono::floor<std::chrono::seconds>(*time)).count();
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), ".%09lldZ", static_cast<long long>(fraction));
  return FormatRfc3339(*time).substr(0, kSeconds) + digits.data();
}

std::string ShowCustomTime(std::string_view kept) {
  if (kept.size() <= kSeconds) return std::string(kept);
  std::string_view fraction = kept.substr(kSeconds, kept.size() - kSeconds - 1);
  while (fraction.ends_with("000")) fraction.remove_suffix(3);
  if (fraction == ".") fraction = {};
  return std::string(kept.substr(0, kSeconds)) + std::string(fraction) + "Z";
}

}  // namespace gcsflux::emulator
