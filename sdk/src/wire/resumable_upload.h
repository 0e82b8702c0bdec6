#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "gcsflux/object.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// Chunks are multiples of it, the last excepted: https://cloud.google.com/storage/docs/performing-resumable-uploads
inline constexpr std::size_t kUploadQuantum = 256U << 10;

/// The size of chunks that comes next to the one asked for.
inline std::size_t WholeQuanta(std::size_t bytes) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / kUploadQuantum;
  const std::size_t quanta = bytes / kUploadQuantum + (bytes % kUploadQuantum != 0 ? 1 : 0);
  return std::clamp<std::size_t>(quanta, 1, kMost) * kUploadQuantum;
}

/// The URI of a session that was started at `endpoint`, from the answer. kBadResponse where there is none that can be
/// used; one over plain http where the endpoint is https is none either.
Result<std::string> SessionUri(const HttpResponse& started, std::string_view endpoint);
/// Whether `uri` can be a session's of that endpoint.
bool IsSessionUri(std::string_view uri, std::string_view endpoint);

/// The protocol of one resumable session, without I/O: it says what to send next and is told what came of it.
///
/// The caller holds the bytes from `persisted()` on, until that moves. Used by one thread.
class ResumableUpload {
 public:
  /// A session that has just been started, for this object.
  ResumableUpload(ObjectName object, std::string session_uri)
      : object_name_(std::move(object)), session_uri_(std::move(session_uri)) {}
  /// A session that somebody else fed before and that had acknowledged `persisted` bytes; it may hold more.
  static ResumableUpload Resumed(ObjectName object, std::string session_uri, std::uint64_t persisted);

  [[nodiscard]] const std::string& session_uri() const { return session_uri_; }
  /// What the session is known to hold, in bytes from the object's start. It never goes back.
  [[nodiscard]] std::uint64_t persisted() const { return persisted_; }
  /// The committed object, once there is one.
  [[nodiscard]] const std::optional<ObjectMetadata>& object() const { return object_; }
  /// The next request is a question about where the session stands.
  [[nodiscard]] bool must_query() const { return must_query_; }

  /// The next request, given all bytes from persisted() on that are to be sent now: those bytes, or a status query
  /// when the last exchange failed. With `is_last`, they end the object, whose CRC32C the service then checks.
  [[nodiscard]] HttpRequest Next(std::span<const std::byte> unsent, bool is_last, std::uint32_t crc32c);

  /// An answer came. Errors that another request may set right are kUnavailable or kRateLimited: what cannot be so
  /// (bytes forgotten, bytes that nobody sent, an answer that cannot be read) is believed when it is said twice
  /// running, as is an object of another name or size. kSessionLost: 404, 410 or 499, or the session is not the one it
  /// was. Others are as the answer says.
  Result<void> OnResponse(const HttpResponse& response);

  /// No answer came, or one that left the session's state open: the next request is a status query.
  void OnFailure() { must_query_ = true; }

  [[nodiscard]] HttpRequest CancelRequest() const;

 private:
  Result<void> OnIncomplete(const HttpResponse& response);
  Result<void> OnComplete(const HttpResponse& response);
  Result<void> Doubt(Error error);

  ObjectName object_name_;
  std::string session_uri_;
  std::uint64_t persisted_ = 0;
  std::uint64_t sent_ = 0;              // The end of what the session can hold.
  std::optional<std::uint64_t> total_;  // Of the object, as the service was told.
  bool must_query_ = false;
  bool has_doubts_ = false;  // The last answer was not believed.
  std::optional<ObjectMetadata> object_;
};

}  // namespace gcsflux::internal
