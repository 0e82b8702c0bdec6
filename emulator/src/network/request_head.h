#pragma once

#include <string_view>

#include "http/api_error.h"
#include "http/http_message.h"

namespace gcsflux::emulator {

/// A request's head. The method is one that HTTP defines, the target is a path with its query, and nothing is decoded.
struct RequestHead {
  HttpRequest request = {};
  bool is_1_0 = false;
  bool closes = false;  ///< No request follows on this connection.
};

/// Reads a head, its last empty line included. If a target has an origin ("http://host/path"), the origin's host
/// replaces the Host: https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
///
/// Refused are a target with a fragment or a character that no URL has, a field name that is not valid ("Length : 5"),
/// a line that continues the one before it, a line that does not end in CRLF, and a Host that is not valid. Readers
/// understand such heads differently. If another one understands a head differently than this one, a client may send
/// one request that becomes two: https://www.rfc-editor.org/rfc/rfc9112#section-11
ApiResult<RequestHead> ParseRequestHead(std::string_view head);

}  // namespace gcsflux::emulator
