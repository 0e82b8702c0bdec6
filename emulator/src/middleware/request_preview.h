#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "operations/request_subject.h"

namespace gcsflux::emulator {

/// What a request is about, found out before it is served.
struct RequestPreview {
  /// As the journal will show it. For a session's request, the session's object. "unknown" if the request cannot be
  /// served.
  RequestSubject subject = {};
  /// The names of the objects, if it deletes several: `subject` then names none.
  std::vector<std::string> deleted = {};
  bool is_xml = false;         ///< Its errors are XML.
  bool is_media_read = false;  ///< Asks for an object's bytes.
  /// The first byte that a read's Range or a chunk's Content-Range names.
  std::optional<std::uint64_t> range_start = {};
  /// The position of the object's bytes in the request's body: above 0 in a multipart upload.
  std::uint64_t media_offset = 0;
  std::string invocation_id = {};  ///< See RequestRecord.
  int attempt = 0;
};

}  // namespace gcsflux::emulator
