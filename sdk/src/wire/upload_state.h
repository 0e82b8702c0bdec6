#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gcsflux/object.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// An upload session at rest. Its URI lets anybody write to it.
struct UploadState {
  std::string endpoint = {};  ///< Whose session it is.
  ObjectName object = {};
  std::string session_uri = {};
  std::uint64_t persisted = 0;  ///< Bytes from the object's start that the service has acknowledged.
  std::uint32_t crc32c = 0;     ///< Of these.
  std::uint64_t chunk_bytes = 0;
  bool may_be_committed = false;  ///< Its last piece was sent, and the answer is not known.

  friend bool operator==(const UploadState&, const UploadState&) = default;
};

/// As JSON, with a version.
std::string FormatUploadState(const UploadState& state);

/// kInvalidArgument where `text` is no such state, is of another version, or has been changed; no message shows any
/// of it.
Result<UploadState> ParseUploadState(std::string_view text);

}  // namespace gcsflux::internal
