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
#include <utility>
#include <vector>

#include "gcsflux/result.h"

namespace gcsflux::internal {

enum class Method { kGet, kPost, kPut, kPatch, kDelete };

/// "GET".
std::string_view MethodName(Method method);

/// In the order of the message. Names are lower-case in answers.
using Headers = std::vector<std::pair<std::string, std::string>>;

/// The first value of a header by its lower-case name; empty where there is none.
std::string_view FindHeader(const Headers& headers, std::string_view name);

/// What an exchange moved, whatever became of it.
struct Movement {
  std::uint64_t bytes_sent = 0;                             ///< Of the request's body.
  std::uint64_t bytes_received = 0;                         ///< Of the answer's.
  std::optional<std::chrono::nanoseconds> first_byte = {};  ///< From the exchange's start; nothing where none came.
};

/// One request. Its body is head, payload and tail, one behind the other.
struct HttpRequest {
  Method method = Method::kGet;
  std::string url = {};  ///< Absolute; sent as it stands.
  Headers headers = {};
  std::string head = {};
  std::span<const std::byte> payload = {};  ///< Borrowed until the exchange is over.
  std::string tail = {};
  /// True: straight to the host, whatever proxy the environment names. For secrets that go in the clear to this
  /// machine, or to its metadata server.
  bool bypass_proxy = false;
  /// The URL alone lets somebody in, as that of an upload's session does: it is shown to nobody.
  bool is_url_secret = false;
  /// Where the transport says what was moved, be it by an exchange that failed; null where nobody asks.
  Movement* movement = nullptr;
  /// Called as the payload goes out, with how many bytes of it have been handed over so far.
  std::function<void(std::uint64_t)> on_sent = {};
  /// The transport's own unless set. For a server that is near or not there at all.
  std::optional<std::chrono::milliseconds> connect_timeout = {};
};

struct HttpResponse {
  int status = 0;
  Headers headers = {};
  std::string body = {};  ///< What no receiver took.
};

/// An answer that is held whole is never larger, so that one without end takes no memory without end: a page of 5000
/// objects with all the metadata that they may have stays below 64 MiB.
constexpr std::size_t kMostHeldBytes = 128U << 20;

/// Adds to a body that is held. kBadResponse where it becomes larger than that.
inline Result<void> AppendHeld(std::string& body, std::span<const std::byte> data) {
  if (data.size() > kMostHeldBytes - body.size()) {
    return Error{ErrorCode::kBadResponse, "the answer is larger than 128 MiB"};
  }
  body.append(reinterpret_cast<const char*>(data.data()), data.size());
  return {};
}

/// Makes room for as much as the headers announce, which else is copied as often as the body doubles; and a little
/// more, since parsers of JSON read past the end.
void ReserveHeld(std::string& body, const Headers& headers);

/// Takes an answer's body as it comes in.
class BodyReceiver {
 public:
  virtual ~BodyReceiver() = default;
  /// Before the body; again where a second exchange goes on in the first one's place. True takes it; false leaves it
  /// for HttpResponse::body (errors, small answers).
  virtual Result<bool> OnHeaders(const HttpResponse& response) = 0;
  /// Valid during the call only. An error ends the exchange, as that error.
  virtual Result<void> OnBody(std::span<const std::byte> data) = 0;
};

/// Looks on at an exchange, and can have it sent a second time beside the first. Called by the exchange's own thread.
class Watch {
 public:
  virtual ~Watch() = default;
  /// How long the exchange may still go on before it is overdue; nothing: as long as it likes.
  virtual std::optional<std::chrono::nanoseconds> TimeLeft() = 0;
  /// It is overdue. What this points to is sent beside it, for the same receiver; null lets it go on alone.
  virtual const HttpRequest* OnOverdue() = 0;
  /// The second one's answer has come first: the exchange goes on with it, under this watch as before.
  virtual void OnSecondWon() = 0;
  /// The second one has brought nothing: its failure, an answer that is one, or kCancelled where the first came on.
  virtual void OnSecondFailed(const Result<HttpResponse>& outcome) = 0;
};

/// The one seam to the network. Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;
  /// One exchange, whatever its status. Errors are those of the connection: kUnreachable (nothing was sent),
  /// kUnavailable, kTruncated, kTlsFailed, kBadResponse, kCancelled; or what the receiver returned.
  virtual Result<HttpResponse> Perform(const HttpRequest& request, BodyReceiver* receiver,
                                       const std::stop_token& stop) = 0;
  /// The same under a watch. Of two exchanges the one from which the next bytes of an answer come is gone on with, and
  /// the other is dropped; one that fails leaves the field to the other. A transport that sends nothing twice need not
  /// override it.
  virtual Result<HttpResponse> PerformWatched(const HttpRequest& request, BodyReceiver* receiver, Watch& /*watch*/,
                                              const std::stop_token& stop) {
    return Perform(request, receiver, stop);
  }
};

}  // namespace gcsflux::internal
