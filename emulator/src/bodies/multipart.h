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
  std::string media_content_type = {};  ///< Empty if the part does not say.
  std::uint64_t media_begin = 0;        ///< Its position in the body.
  Rope media = {};                      ///< Shares the body's memory, unless it was decoded.
  bool is_decoded = false;              ///< The part was in base64, by its Content-Transfer-Encoding.
};

/// The part of the body before the media.
struct MultipartStart {
  std::string metadata = {};      ///< JSON.
  std::uint64_t media_begin = 0;  ///< Its position in the body.
};

/// For a body that starts with `beginning`. Nothing if that is malformed or ends before the media.
std::optional<MultipartStart> FindMedia(std::string_view content_type, const Rope& beginning);

/// `content_type` is the request's own, with the boundary. 400 if the body does not match it.
ApiResult<MultipartRelated> ParseMultipartRelated(std::string_view content_type, const Rope& body);

}  // namespace gcsflux::emulator
