#pragma once

#include <string>

#include "http/api_error.h"
#include "http/http_message.h"
#include "store/bytes/body.h"

namespace gcsflux::emulator {

/// An upload of two parts.
struct ReceivedMultipart {
  std::string metadata = {};            ///< JSON.
  std::string media_content_type = {};  ///< Empty where the part does not say.
  BodyPtr media = {};
};

/// Reads to the end of the body, whose request's Content-Type this is, and takes it apart. Where the media's MD5 will
/// be asked for it is computed while the body comes, as far as its length is announced. 400 where the body is
/// malformed.
ApiResult<ReceivedMultipart> ReceiveMultipart(RequestBody& body, const std::string& content_type, bool needs_md5);

}  // namespace gcsflux::emulator
