#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/api_error.h"
#include "http/http_message.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

/// One call of a batch.
struct BatchCall {
  std::string content_id = {};  ///< Of its part; "" where it has none.
  HttpRequest request = {};     ///< Its method is empty where the part holds no request.
  std::string body = {};
};

/// Takes a multipart/mixed body of application/http parts apart. 400 where it is none, does not end, or has more than
/// 100 calls.
ApiResult<std::vector<BatchCall>> ParseBatch(std::string_view content_type, const Rope& body);

/// Adds to the header of a call what the batch's own says for all: everything but what is about the batch's body and
/// connection, and what the call says itself.
void AddOuterHeaders(const HttpHeaders& outer, HttpHeaders& inner);

}  // namespace gcsflux::emulator
