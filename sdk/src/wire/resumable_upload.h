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

/// Chunks are multiples of it, except the last one: https://cloud.google.com/storage/docs/performing-resumable-uploads
inline constexpr std::size_t kUploadQuantum = 256U << 10;

/// The requested chunk size, rounded up to a multiple of the quantum.
inline std::size_t WholeQuanta(std::size_t bytes) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / kUploadQuantum;
  const std::size_t quanta = bytes / kUploadQuantum + (bytes % kUploadQuantum != 0 ? 1 : 0);
  return std::clamp<std::size_t>(quanta, 1, kMost) * kUploadQuantum;
}

/// The URI of a session that was started at `endpoint`, from the answer. Returns kBadResponse if there is no usable
/// URI. If the endpoint is https, a URI over plain http is not usable.
Result<std::string> SessionUri(const HttpResponse& started, std::string_view endpoint);
/// Whether `uri` can be a session of that endpoint.
bool IsSessionUri(std::string_view uri, std::string_view endpoint);

/// The protocol of one resumable session, without I/O: it makes the next request, and is told the outcome.
///
/// The caller holds the bytes from `persisted()` on until that value grows. Used by one thread.
class ResumableUpload {
 public:
  /// For a session that was just started, for this object.
  ResumableUpload(ObjectName object, std::string session_uri)
      : object_name_(std::move(object)), session_uri_(std::move(session_uri)) {}
  /// For a session of an earlier process, which had acknowledged `persisted` bytes. It may hold more.
  static ResumableUpload Resumed(ObjectName object, std::string session_uri, std::uint64_t persisted);

  [[nodiscard]] const std::string& session_uri() const { return session_uri_; }
  /// How many bytes, from the object's start, the session is known to hold. Never decreases.
  [[nodiscard]] std::uint64_t persisted() const { return persisted_; }
  /// The committed object, if there is one.
  [[nodiscard]] const std::optional<ObjectMetadata>& object() const { return object_; }
  /// The object came with the answer to a question. By then another writer may have replaced the session's own.
  [[nodiscard]] bool is_object_asked_for() const { return is_object_asked_for_; }
  /// The next request asks for the session's position.
  [[nodiscard]] bool must_query() const { return must_query_; }

  /// The next request. `unsent` are all bytes from persisted() on that should be sent now. If the last exchange failed,
  /// the request is a status query. With `is_last`, these bytes end the object, and the service checks its CRC32C.
  [[nodiscard]] HttpRequest Next(std::span<const std::byte> unsent, bool is_last, std::uint32_t crc32c);

  /// Handles an answer. An error that another request may resolve is kUnavailable or kRateLimited. Some answers cannot
  /// be right: lost bytes, bytes that were never sent, unreadable answers, an object of another name or size. Such an
  /// answer is believed when it comes twice in a row. Returns kSessionLost for 404, 410 or 499, or if the session is a
  /// different one. Other errors are those of the answer.
  Result<void> OnResponse(const HttpResponse& response);

  /// There was no answer, or it left the session's state open: the next request is a status query.
  void OnFailure() { must_query_ = true; }

  [[nodiscard]] HttpRequest CancelRequest() const;

 private:
  Result<void> OnIncomplete(const HttpResponse& response);
  Result<void> OnComplete(const HttpResponse& response);
  Result<void> Doubt(Error error);

  ObjectName object_name_;
  std::string session_uri_;
  std::uint64_t persisted_ = 0;
  std::uint64_t sent_ = 0;              // The end of the bytes that the session can hold.
  std::optional<std::uint64_t> total_;  // The object's size that was told to the service.
  bool must_query_ = false;
  bool has_doubts_ = false;   // The last answer was not believed.
  bool is_question_ = false;  // The last request was one.
  bool is_object_asked_for_ = false;
  std::optional<ObjectMetadata> object_;
};

}  // namespace gcsflux::internal
