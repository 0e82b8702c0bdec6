#include "http/entity_tags.h"

#include <algorithm>
#include <optional>
#include <string>

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

}  // namespace gcsflux::emulator
