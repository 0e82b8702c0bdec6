#pragma once

#include <span>
#include <string>
#include <string_view>

#include "http/api_error.h"
#include "http/http_message.h"

namespace gcsflux::emulator {

/// Whether a list of entity tags, as in If-Match, contains `etag` or is "*". Quotes are ignored: GCS's JSON API shows
/// its tags without them.
bool ListsEntityTag(std::string_view list, std::string_view etag);

/// Checks a read's If-Match (else 412) and If-None-Match (else 304) against this entity tag.
///
/// https://cloud.google.com/storage/docs/request-preconditions: they apply only to requests that retrieve data.
ApiResult<void> CheckEntityTags(const HttpHeaders& headers, std::string_view etag);

/// The name of a header that makes a change conditional and that is not one of `honoured`, or "". The service knows
/// HTTP's own conditions on reads only. A client that sends one relies on it, so the change must be refused, and not be
/// made without it.
std::string FindOtherCondition(const HttpHeaders& headers, std::span<const std::string_view> honoured = {});

}  // namespace gcsflux::emulator
