#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "gcsflux/result.h"
#include "http/headers.h"

namespace gcsflux::internal {

enum class Method { kGet, kPost, kPut, kPatch, kDelete };

/// "GET".
std::string_view MethodName(Method method);

/// What an exchange moved, also if it failed.
struct TransferStatistics {
  std::uint64_t bytes_sent = 0;                             ///< Of the request's body.
  std::uint64_t bytes_received = 0;                         ///< Of the answer's.
  std::optional<std::chrono::nanoseconds> first_byte = {};  ///< From the exchange's start; absent if no byte came.
};

/// One request. Its body is head, payload and tail, in this order.
struct HttpRequest {
  Method method = Method::kGet;
  std::string url = {};  ///< Absolute; sent unchanged.
  Headers headers = {};
  std::string head = {};
  std::span<const std::byte> payload = {};  ///< Borrowed until the exchange is over.
  std::string tail = {};
  /// True: connects directly to the host, without the environment's proxy. For secrets that are sent unencrypted to
  /// this machine or to its metadata server.
  bool bypass_proxy = false;
  /// The URL is a credential, as that of an upload's session is: it is never shown.
  bool is_url_secret = false;
  /// A change that no reader can see by itself: an upload's start, a chunk or part of it, or its end without an object.
  bool is_invisible = false;
  /// The transport writes here what was moved, also by a failed exchange. Null if it is not needed.
  TransferStatistics* statistics = nullptr;
  /// Called as the payload is sent, with the number of its bytes handed over so far.
  std::function<void(std::uint64_t)> on_sent = {};
  /// If absent, the transport's own. For a server that is either near or does not exist.
  std::optional<std::chrono::milliseconds> connect_timeout = {};
};

struct HttpResponse {
  int status = 0;
  Headers headers = {};
  std::string body = {};  ///< The body, if no receiver took it.
};

/// The limit of an answer that is held whole, so that an endless answer cannot use endless memory. A page of 5000
/// objects with the largest possible metadata stays below 64 MiB.
constexpr std::size_t kMostHeldBytes = 128U << 20;

/// Appends to a body that is held. Returns kBadResponse if it becomes larger than the limit.
inline Result<void> AppendHeld(std::string& body, std::span<const std::byte> data) {
  if (data.size() > kMostHeldBytes - body.size()) {
    return Error{ErrorCode::kBadResponse, "the answer is larger than 128 MiB"};
  }
  body.append(reinterpret_cast<const char*>(data.data()), data.size());
  return {};
}

/// Reserves as much memory as the headers announce, so that the body is not copied while it grows. It reserves a little
/// more, because JSON parsers read past the end.
void ReserveHeld(std::string& body, const Headers& headers);

/// Takes an answer's body chunk by chunk.
class BodyReceiver {
 public:
  virtual ~BodyReceiver() = default;
  /// Called before the body, and again if a second exchange replaces the first one. True accepts the body; false leaves
  /// it in HttpResponse::body (errors, small answers).
  virtual Result<bool> OnHeaders(const HttpResponse& response) = 0;
  /// The data is valid during the call only. An error ends the exchange with that error.
  virtual Result<void> OnBody(std::span<const std::byte> data) = 0;
};

/// Watches an exchange, and can have it sent a second time beside the first. The exchange's own thread calls it.
class Watch {
 public:
  virtual ~Watch() = default;
  /// How long the exchange may still take before it is overdue. Nothing means without limit.
  virtual std::optional<std::chrono::nanoseconds> TimeLeft() = 0;
  /// The exchange is overdue. The returned request is sent beside it, for the same receiver; null lets the first one
  /// continue alone.
  virtual const HttpRequest* OnOverdue() = 0;
  /// The second request was answered first. The exchange continues with it, under this watch.
  virtual void OnSecondWon() = 0;
  /// The second request has failed: with an error, an answer that is a failure, or kCancelled because the first one
  /// continued.
  virtual void OnSecondFailed(const Result<HttpResponse>& outcome) = 0;
};

/// The only interface to the network. Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;
  /// One exchange; any status is a success. The errors are those of the connection: kUnreachable (nothing was sent),
  /// kUnavailable, kTruncated, kTlsFailed, kBadResponse, kCancelled; or the receiver's error.
  virtual Result<HttpResponse> Perform(const HttpRequest& request, BodyReceiver* receiver,
                                       const std::stop_token& stop) = 0;
  /// The same under a watch. If two exchanges are in progress, the one that brings the next bytes of an answer wins,
  /// and the other one is cancelled. If one fails, the other one continues. A transport that never sends twice need not
  /// override it.
  virtual Result<HttpResponse> PerformWatched(const HttpRequest& request, BodyReceiver* receiver, Watch& /*watch*/,
                                              const std::stop_token& stop) {
    return Perform(request, receiver, stop);
  }
};

}  // namespace gcsflux::internal
