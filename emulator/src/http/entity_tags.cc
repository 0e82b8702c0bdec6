#include "http/entity_tags.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/letter_case.h"
#include "http/trim.h"

namespace gcsflux::emulator {
namespace {

std::string_view Unquoted(std::string_view etag) {
  const bool is_quoted = etag.size() >= 2 && etag.starts_with('"') && etag.ends_with('"');
  return is_quoted ? etag.substr(1, etag.size() - 2) : etag;
}

}  // namespace

bool ListsEntityTag(std::string_view list, std::string_view etag) {
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(item.size() + 1, list.size()));
    const std::string_view tag = Trim(item);
    if (tag == "*" || Unquoted(tag) == Unquoted(etag)) return true;
  }
  return false;
}

ApiResult<void> CheckEntityTags(const HttpHeaders& headers, std::string_view etag) {
  const std::optional<std::string> wanted = headers.FindAll("if-match");
  if (wanted && !ListsEntityTag(*wanted, etag)) {
    return tl::unexpected(
        ApiError{412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold."});
  }
  const std::optional<std::string> known = headers.FindAll("if-none-match");
  if (known && ListsEntityTag(*known, etag)) return tl::unexpected(ApiError{304, "notModified", "Not Modified"});
  return {};
}

std::string FindOtherCondition(const HttpHeaders& headers, std::span<const std::string_view> honoured) {
  // Not If-Modified-Since: RFC 9110 says that it means nothing there.
  constexpr std::array<std::string_view, 3> kOfHttp = {"if-match", "if-none-match", "if-unmodified-since"};
  for (const auto& [field, value] : headers.fields()) {
    const std::string name = LowerCase(field);
    const bool is_condition =
        name.starts_with("x-goog-if-") || std::find(kOfHttp.begin(), kOfHttp.end(), name) != kOfHttp.end();
    if (is_condition && std::find(honoured.begin(), honoured.end(), name) == honoured.end()) return name;
  }
  return {};
}

}  // namespace gcsflux::emulator
