#pragma once

#include <string>
#include <string_view>

#include "server/api_error.h"
#include "store/rope.h"

namespace gcsflux::emulator {

/// The two parts of an upload's body.
struct MultipartRelated {
  std::string metadata = {};            ///< JSON.
  std::string media_content_type = {};  ///< Empty where the part does not say.
  Rope media = {};                      ///< Shares the body's memory.
};

/// `content_type` is the request's own, with the boundary. 400 where the body is not what it announces.
ApiResult<MultipartRelated> ParseMultipartRelated(std::string_view content_type, const Rope& body);

}  // namespace gcsflux::emulator
