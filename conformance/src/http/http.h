#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/or_error.h"

namespace gcsflux::conformance {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;
  std::string target;    ///< Goes on the request line byte for byte, so it must be percent-encoded already.
  Headers headers = {};  ///< Names are not repeated. An Authorization here replaces the program's own.
  std::optional<std::string> body = {};  ///< If absent on POST and PUT, `Content-Length: 0` is sent.
  bool chunked = false;                  ///< The body is sent by chunked transfer encoding, without a length.
  bool anonymous = false;                ///< No Authorization is sent, even if the program has a token.
};

struct Response {
  int status = 0;
  Headers headers = {};
  std::string body = {};
};

/// The value of the header `name`, compared without regard to case. Lines of one name are joined by ", " as RFC 9110
/// 5.2 allows.
std::optional<std::string> FindHeader(const Headers& headers, std::string_view name);

/// One service, reached by raw HTTP.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Any complete HTTP answer is a Response, whatever its status. An error means that there was none.
  virtual OrError<Response> Send(const Request& request) = 0;
};

}  // namespace gcsflux::conformance
