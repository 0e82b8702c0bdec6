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
  std::string content_id = {};  ///< The Content-ID of its part; "" if it has none.
  HttpRequest request = {};     ///< Its method is empty if the part contains no request.
  std::string body = {};
};

/// Splits a multipart/mixed body into its application/http parts. 400 if it is no such body, does not end, or has more
/// than 100 calls.
ApiResult<std::vector<BatchCall>> ParseBatch(std::string_view content_type, const Rope& body);

/// Adds the batch's header fields to a call. It leaves out those about the batch's body and connection, and those that
/// the call has itself.
void AddOuterHeaders(const HttpHeaders& outer, HttpHeaders& inner);

}  // namespace gcsflux::emulator
