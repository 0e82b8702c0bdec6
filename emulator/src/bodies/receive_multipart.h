#pragma once

#include <string>

#include "http/api_error.h"
#include "http/http_message.h"
#include "store/bytes/body.h"

namespace gcsflux::emulator {

/// An upload of two parts.
struct ReceivedMultipart {
  std::string metadata = {};            ///< JSON.
  std::string media_content_type = {};  ///< Empty if the part does not say.
  BodyPtr media = {};
};

/// Reads to the end of the body and splits it; `content_type` is the request's. If the media's MD5 will be asked for
/// and the length is announced, it is computed while the body arrives. 400 if the body is malformed.
ApiResult<ReceivedMultipart> ReceiveMultipart(RequestBody& body, const std::string& content_type, bool needs_md5);

}  // namespace gcsflux::emulator
