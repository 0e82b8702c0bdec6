#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gcsflux/object.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// Chunks are multiples of it, the last excepted: https://cloud.google.com/storage/docs/performing-resumable-uploads
inline constexpr std::size_t kUploadQuantum = 256U << 10;

/// The protocol of one resumable session, without I/O: it says what to send next and is told what came of it.
///
/// The caller holds the bytes from `persisted()` on, until that moves. Used by one thread.
class ResumableUpload {
 public:
  explicit ResumableUpload(std::string session_uri) : session_uri_(std::move(session_uri)) {}

  /// What the session is known to hold, in bytes from the object's start. It never goes back.
  [[nodiscard]] std::uint64_t persisted() const { return persisted_; }
  /// The committed object, once there is one.
  [[nodiscard]] const std::optional<ObjectMetadata>& object() const { return object_; }

  /// The next request, given all bytes from persisted() on that are to be sent now: those bytes, or a status query
  /// when the last exchange failed. With `is_last`, they end the object, whose CRC32C the service then checks.
  [[nodiscard]] HttpRequest Next(std::span<const std::byte> unsent, bool is_last, std::uint32_t crc32c) const;

  /// An answer came. Errors: kSessionLost (404, 410, or bytes that were acknowledged are gone), kUnavailable (308
  /// without news), or as the answer says.
  Result<void> OnResponse(const HttpResponse& response);

  /// No answer came, or one that left the session's state open: the next request is a status query.
  void OnFailure() { must_query_ = true; }

  [[nodiscard]] HttpRequest CancelRequest() const;

 private:
  Result<void> OnIncomplete(const HttpResponse& response);

  std::string session_uri_;
  std::uint64_t persisted_ = 0;
  bool must_query_ = false;
  std::optional<ObjectMetadata> object_;
};

}  // namespace gcsflux::internal
