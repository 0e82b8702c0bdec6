#pragma once

#include <cassert>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace gcsflux {

/// What a caller may need to distinguish. The message is for people; programs do not parse it.
enum class ErrorCode {
  kInvalidArgument,   ///< The call itself is wrong: a bad URI, a range past its limits, an empty name; or HTTP 400.
  kUnauthenticated,   ///< HTTP 401: no credential, or the service does not accept it.
  kTokenUnavailable,  ///< The credential's token endpoint failed temporarily until its retries ended.
  kPermissionDenied,  ///< HTTP 403.
  kNotFound,          ///< HTTP 404: no such bucket or object.
  /// HTTP 409: the bucket's name is taken. Also: a file exists and may not be replaced.
  kAlreadyExists,
  kBucketNotEmpty,      ///< HTTP 409: a bucket that still holds objects, live or noncurrent, cannot be deleted.
  kPreconditionFailed,  ///< HTTP 412: an if_..._match precondition did not hold.
  kNotModified,         ///< HTTP 304: an if_..._not_match precondition did not hold.
  kOutOfRange,          ///< HTTP 416: the range begins at or past the object's end.
  kRateLimited,         ///< HTTP 429, or 403 with a rate-limit reason; retried.
  kUnavailable,         ///< HTTP 408 or 5xx, or a broken connection, also during its TLS handshake; retried.
  kUnreachable,         ///< No connection: refused, no such name, time-out, too many open files; retried.
  kProxyFailed,         ///< The proxy was not reached, or does not forward. Retried, unless it refuses (407, 4xx).
  /// A certificate or the TLS handshake was refused; never retried. (A broken connection in the handshake is
  /// kUnavailable.)
  kTlsFailed,
  kTruncated,       ///< The body ended before its announced length; retried.
  kCancelled,       ///< The caller's stop_token requested it.
  kCorrupted,       ///< Bytes do not match their CRC32C or their length.
  kUnverified,      ///< ClientOptions::require_checksum is set, and the service gave no CRC32C.
  kAborted,         ///< The object changed while it was being read.
  kSessionLost,     ///< A resumable upload's session is gone. Nothing became visible.
  kOutcomeUnknown,  ///< A write's answer was lost, and the present state does not tell whether it was stored.
  kBadResponse,     ///< The answer is not one of GCS: HTML instead of JSON, a missing header.
  kEmptyPrefix,     ///< Nothing is stored under the prefix of a dataset.
  kUndecodable,     ///< An object's bytes do not have the requested format.
  kStale,           ///< A saved listing is older than the caller allows.
  kLocalIo,         ///< A local file, or the caller's own sink, failed.
  /// The process is a child of fork(), and the parent had begun the call. Begin again in the child.
  kForked,
};

/// The code's name, as in "NOT_FOUND". Never empty.
std::string_view ErrorCodeName(ErrorCode code);

/// Whether a write that failed took effect on the service.
enum class WriteOutcome {
  kNotStored,  ///< Certainly not: it was refused, or never sent.
  kStored,     ///< It took effect, and the call failed afterwards.
  kUnknown,    ///< A request was sent, and no answer tells reliably what became of it.
};

/// A failure as a value. `message` names the operation, the object, what happened, and what to do.
struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;  ///< What a program compares.
  std::string message = {};                      ///< For people; without secrets.
  int http_status = 0;                           ///< 0 if the failure was not an HTTP answer.
  std::string reason = {};                       ///< The service's own reason, such as "conditionNotMet"; may be empty.
  std::optional<std::chrono::seconds> retry_after = {};  ///< The wait that the service requested, if it did.
  /// Of a write, whatever the code is: an answer such as 403 to a later attempt does not tell what became of an earlier
  /// one. kNotStored for calls that write nothing.
  WriteOutcome outcome = WriteOutcome::kNotStored;
};

/// Either a T or an Error. Copies, moves and references behave as those of T. Not thread-safe.
///
/// Use `value()`, `*` and `->` only if `ok()`, and `error()` only if not. Both are asserted.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : outcome_(std::move(value)) {}                    ///< A success.
  Result(Error error) : outcome_(tl::unexpect, std::move(error)) {}  ///< A failure.

  [[nodiscard]] bool ok() const { return outcome_.has_value(); }  ///< True for a success.
  explicit operator bool() const { return ok(); }

  T& value() & { return assert(ok()), *outcome_; }               ///< The value.
  const T& value() const& { return assert(ok()), *outcome_; }    ///< The value.
  T&& value() && { return assert(ok()), *std::move(outcome_); }  ///< The value, moved out.
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return assert(!ok()), outcome_.error(); }  ///< The failure.

 private:
  tl::expected<T, Error> outcome_;
};

/// Success without a value, or an Error. The default is a success.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : outcome_(tl::unexpect, std::move(error)) {}  ///< A failure.

  [[nodiscard]] bool ok() const { return outcome_.has_value(); }  ///< True for a success.
  explicit operator bool() const { return ok(); }
  const Error& error() const { return assert(!ok()), outcome_.error(); }  ///< The failure.

 private:
  tl::expected<void, Error> outcome_;
};

}  // namespace gcsflux
