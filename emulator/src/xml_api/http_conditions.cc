#include "xml_api/http_conditions.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include "http/entity_tags.h"
#include "xml_api/xml_etag.h"

namespace gcsflux::emulator {
namespace {

// With the header's precision.
bool IsModifiedSince(const Object& object, Time since) {
  return std::chrono::floor<std::chrono::seconds>(object.updated) > since;
}

}  // namespace

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

XmlResult<void> CheckHttpConditions(const XmlCall& call, const ConditionHeaders& headers, const Object& object) {
  const auto fail = [&](XmlErrorCode code, std::string_view header) { return XmlFail(code, std::string(header)); };
  const HttpHeaders& given = call.request.headers;
  const auto date = [&](std::string_view name) { return ParseHttpDate(HeaderValue(call, name)); };
  if (const auto etags = given.FindAll(headers.if_match)) {
    if (!ListsEntityTag(*etags, XmlEtag(object))) return fail(XmlErrorCode::kPreconditionFailed, headers.if_match);
  } else if (const auto since = date(headers.if_unmodified_since); since && IsModifiedSince(object, *since)) {
    return fail(XmlErrorCode::kPreconditionFailed, headers.if_unmodified_since);
  }
  if (const auto etags = given.FindAll(headers.if_none_match)) {
    if (ListsEntityTag(*etags, XmlEtag(object))) return fail(XmlErrorCode::kNotModified, headers.if_none_match);
  } else if (const auto since = date(headers.if_modified_since); since && !IsModifiedSince(object, *since)) {
    return fail(XmlErrorCode::kNotModified, headers.if_modified_since);
  }
  return {};
}

}  // namespace gcsflux::emulator
