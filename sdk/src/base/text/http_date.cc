#include "base/text/http_date.h"

#include "base/text/digits.h"

namespace gcsflux::internal {
namespace {

// The month of this name. Nothing if there is none.
std::optional<unsigned> MonthOf(std::string_view name) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::size_t at = kMonths.find(name);
  if (at == std::string_view::npos || at % 3 != 0) return std::nullopt;
  return static_cast<unsigned>(at / 3 + 1);
}

}  // namespace

std::optional<std::chrono::system_clock::time_point> ParseHttpDate(std::string_view text) {
  constexpr std::string_view kForm = "Www, 00 Mmm 0000 00:00:00 GMT";
  if (text.size() != kForm.size() || !text.ends_with(" GMT")) return std::nullopt;
  for (const std::size_t i : {3, 4, 7, 11, 16, 19, 22}) {
    if (text[i] != kForm[i]) return std::nullopt;
  }
  const auto day = Digits(text, 5, 2);
  const auto month = MonthOf(text.substr(8, 3));
  const auto year = Digits(text, 12, 4);
  const auto hour = Digits(text, 17, 2);
  const auto minute = Digits(text, 20, 2);
  const auto second = Digits(text, 23, 2);
  if (!day || !month || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

}  // namespace gcsflux::internal
