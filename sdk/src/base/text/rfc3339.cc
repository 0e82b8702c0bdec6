#include "base/text/rfc3339.h"

#include <array>
#include <cstdio>

#include "base/text/digits.h"

namespace gcsflux::internal {
namespace {

// The fraction of the seconds, ".123" or nothing, in nanoseconds.
std::optional<std::chrono::nanoseconds> Fraction(std::string_view text) {
  if (text.empty()) return std::chrono::nanoseconds(0);
  if (text.size() < 2 || text.size() > 10 || text[0] != '.') return std::nullopt;
  const auto value = Digits(text, 1, text.size() - 1);
  if (!value) return std::nullopt;
  std::int64_t nanoseconds = *value;
  for (std::size_t digits = text.size() - 1; digits < 9; ++digits) nanoseconds *= 10;
  return std::chrono::nanoseconds(nanoseconds);
}

}  // namespace

std::optional<std::chrono::system_clock::time_point> ParseRfc3339(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() <= kForm.size() || text.back() != 'Z') return std::nullopt;
  for (const std::size_t i : {4, 7, 10, 13, 16}) {
    if (text[i] != kForm[i]) return std::nullopt;
  }
  const auto year = Digits(text, 0, 4);
  const auto month = Digits(text, 5, 2);
  const auto day = Digits(text, 8, 2);
  const auto hour = Digits(text, 11, 2);
  const auto minute = Digits(text, 14, 2);
  const auto second = Digits(text, 17, 2);
  const auto fraction = Fraction(text.substr(kForm.size(), text.size() - kForm.size() - 1));
  if (!year || !month || !day || !hour || !minute || !second || !fraction) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  using Time = std::chrono::system_clock::time_point;
  const std::chrono::sys_seconds time = std::chrono::sys_days(date) + std::chrono::hours(*hour) +
                                        std::chrono::minutes(*minute) + std::chrono::seconds(*second);
  // The clock's nanoseconds cover the years 1677 to 2262.
  if (time >= std::chrono::floor<std::chrono::seconds>(Time::max())) return Time::max();
  if (time <= std::chrono::ceil<std::chrono::seconds>(Time::min())) return Time::min();
  return time + std::chrono::duration_cast<Time::duration>(*fraction);
}

std::string FormatRfc3339(std::chrono::system_clock::time_point time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::milliseconds>(time - day));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text.data();
}

}  // namespace gcsflux::internal
