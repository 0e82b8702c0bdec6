#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gcsflux/object.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// The saved state of an upload session. Anyone who has its URI can write to it.
struct UploadState {
  std::string endpoint = {};  ///< The service of the session.
  ObjectName object = {};
  std::string session_uri = {};
  std::uint64_t persisted = 0;  ///< Bytes from the object's start that the service has acknowledged.
  std::uint32_t crc32c = 0;     ///< Checksum of these bytes.
  std::uint64_t chunk_bytes = 0;
  bool may_be_committed = false;  ///< Its last chunk was sent, and the answer was lost.

  friend bool operator==(const UploadState&, const UploadState&) = default;
};

/// As JSON, with a version number.
std::string FormatUploadState(const UploadState& state);

/// Returns kInvalidArgument if `text` is not such a state, has another version, or was changed. No message shows any of
/// it.
Result<UploadState> ParseUploadState(std::string_view text);

/// The saved state of a file's upload as parts of a temporary object.
struct PartsState {
  std::string endpoint = {};  ///< The service of the upload.
  ObjectName temporary = {};  ///< The object of the multipart upload.
  std::string upload_id = {};
  std::uint64_t part_bytes = 0;  ///< Of each part but the last one.

  friend bool operator==(const PartsState&, const PartsState&) = default;
};

/// As JSON, which ParseUploadState() refuses.
std::string FormatPartsState(const PartsState& state);

/// Like ParseUploadState(). The temporary object is one that a writer of parts has named.
Result<PartsState> ParsePartsState(std::string_view text);

}  // namespace gcsflux::internal
