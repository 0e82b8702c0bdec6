#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
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
  /// The transport's own unless set. For a server that is near or not there at all.
  std::optional<std::chrono::milliseconds> connect_timeout = {};
};

struct HttpResponse {
  int status = 0;
  Headers headers = {};
  std::string body = {};  ///< What no receiver took.
};

/// Takes an answer's body as it comes in.
class BodyReceiver {
 public:
  virtual ~BodyReceiver() = default;
  /// Once, before the body. True takes it; false leaves it for HttpResponse::body (errors, small answers).
  virtual Result<bool> OnHeaders(const HttpResponse& response) = 0;
  /// Valid during the call only. An error ends the exchange, as that error.
  virtual Result<void> OnBody(std::span<const std::byte> data) = 0;
};

/// The one seam to the network. Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;
  /// One exchange, whatever its status. Errors are those of the connection: kUnreachable (nothing was sent),
  /// kUnavailable, kTruncated, kTlsFailed, kBadResponse, kCancelled; or what the receiver returned.
  virtual Result<HttpResponse> Perform(const HttpRequest& request, BodyReceiver* receiver,
                                       const std::stop_token& stop) = 0;
};

}  // namespace gcsflux::internal
