#include "base/parse_time.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace gcsflux::emulator {
namespace {

using std::chrono::nanoseconds;

// Takes `digits` decimal digits, and the character that must follow them, off the front of `text`.
std::optional<int> Take(std::string_view& text, std::size_t digits, std::string_view separator = "") {
  int value = 0;
  const std::string_view field = text.substr(0, digits);
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (field.size() != digits || field.front() == '-' || error != std::errc() || end != field.data() + digits) {
    return std::nullopt;
  }
  if (!text.substr(digits).starts_with(separator)) return std::nullopt;
  text.remove_prefix(digits + separator.size());
  return value;
}

// Takes a fraction such as ".25" off the front of `text`, if there is one.
std::optional<nanoseconds> TakeFraction(std::string_view& text) {
  if (!text.starts_with('.')) return nanoseconds(0);
  text.remove_prefix(1);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 9) return std::nullopt;
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + digits, value);
  for (std::size_t i = digits; i < 9; ++i) value *= 10;
  text.remove_prefix(digits);
  return nanoseconds(value);
}

// All of `text`.
std::optional<std::chrono::minutes> ParseOffset(std::string_view text) {
  if (text == "Z" || text == "z") return std::chrono::minutes(0);
  if (!text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
  const int sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  const auto hours = Take(text, 2, ":");
  const auto minutes = hours ? Take(text, 2) : std::nullopt;
  if (!minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * std::chrono::minutes(*hours * 60 + *minutes);
}

}  // namespace

std::optional<Time> ParseRfc3339(std::string_view text) {
  const auto year = Take(text, 4, "-");
  const auto month = year ? Take(text, 2, "-") : std::nullopt;
  const auto day = month ? Take(text, 2) : std::nullopt;
  if (!day || (!text.starts_with('T') && !text.starts_with('t'))) return std::nullopt;
  text.remove_prefix(1);
  const auto hour = Take(text, 2, ":");
  const auto minute = hour ? Take(text, 2, ":") : std::nullopt;
  const auto second = minute ? Take(text, 2) : std::nullopt;
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const auto fraction = TakeFraction(text);
  const auto offset = fraction ? ParseOffset(text) : std::nullopt;
  if (!offset) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  // Nanoseconds since 1970 in 64 bits end in 2262.
  if (!date.ok() || *year < 1700 || *year > 2261) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second) + *fraction - *offset;
}

std::optional<Time> ParseHttpDate(std::string_view text) {
  // Not strptime: it follows the process's locale.
  static constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  unsigned day = 0;
  int year = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::array<char, 4> month{};
  int length = 0;
  const std::string terminated(text);
  const int read = std::sscanf(terminated.c_str(), "%*3[A-Za-z], %2u %3[A-Za-z] %4d %2d:%2d:%2d GMT%n", &day,
                               month.data(), &year, &hour, &minute, &second, &length);
  const auto name = std::find(kMonths.begin(), kMonths.end(), std::string_view(month.data()));
  if (read != 6 || static_cast<std::size_t>(length) != text.size() || name == kMonths.end()) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(name - kMonths.begin()) + 1),
                                         std::chrono::day(day));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

}  // namespace gcsflux::emulator
