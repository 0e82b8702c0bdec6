#include "faults/plan/seconds_text.h"

#include <charconv>
#include <cstdint>

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kDigits = 9;  // after the point
constexpr std::uint64_t kMostSeconds = 9'000'000'000;

std::optional<std::uint64_t> ParseDigits(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string FormatSeconds(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  std::string text = std::to_string(seconds.count());
  if (time != seconds) {
    const std::string fraction = std::to_string((time - seconds).count());
    text += "." + std::string(kDigits - fraction.size(), '0') + fraction;
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + "s";
}

std::optional<std::chrono::nanoseconds> ParseSeconds(std::string_view text) {
  if (!text.ends_with('s')) return std::nullopt;
  text.remove_suffix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string fraction(text.substr(point));
  if (fraction.size() == 1 || fraction.size() > 1 + kDigits) return std::nullopt;
  fraction = fraction.empty() ? "0" : fraction.substr(1) + std::string(kDigits + 1 - fraction.size(), '0');
  const std::optional<std::uint64_t> seconds = ParseDigits(text.substr(0, point));
  const std::optional<std::uint64_t> nanoseconds = ParseDigits(fraction);
  if (!seconds || !nanoseconds || *seconds > kMostSeconds) return std::nullopt;
  return std::chrono::seconds(*seconds) + std::chrono::nanoseconds(*nanoseconds);
}

}  // namespace gcsflux::emulator
