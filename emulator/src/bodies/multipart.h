#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/api_error.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

/// The two parts of an upload's body.
struct MultipartRelated {
  std::string metadata = {};            ///< JSON.
  std::string media_content_type = {};  ///< Empty where the part does not say.
  std::uint64_t media_begin = 0;        ///< Where in the body.
  Rope media = {};                      ///< Shares the body's memory.
};

/// What stands before the media.
struct MultipartStart {
  std::string metadata = {};      ///< JSON.
  std::uint64_t media_begin = 0;  ///< Where in the body.
};

/// Of a body that starts with `beginning`; nothing where that is malformed or does not reach to the media.
std::optional<MultipartStart> FindMedia(std::string_view content_type, const Rope& beginning);

/// `content_type` is the request's own, with the boundary. 400 where the body is not what it announces.
ApiResult<MultipartRelated> ParseMultipartRelated(std::string_view content_type, const Rope& body);

}  // namespace gcsflux::emulator
