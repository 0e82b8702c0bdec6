#pragma once

#include <string_view>

#include "http/api_error.h"
#include "http/http_message.h"

namespace gcsflux::emulator {

/// Whether a list of entity tags, as If-Match has it, holds `etag` or is "*". Quotes make no difference: GCS's JSON API
/// shows its tags without them.
bool ListsEntityTag(std::string_view list, std::string_view etag);

/// A read's If-Match (else 412) and If-None-Match (else 304), for what has this entity tag.
///
/// https://cloud.google.com/storage/docs/request-preconditions: they apply to requests that retrieve data, no others.
ApiResult<void> CheckEntityTags(const HttpHeaders& headers, std::string_view etag);

}  // namespace gcsflux::emulator
