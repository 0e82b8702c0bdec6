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
  std::string target;                    ///< Goes on the request line byte for byte, so it is already percent-encoded.
  Headers headers = {};                  ///< Names are not repeated; an Authorization here replaces the program's own.
  std::optional<std::string> body = {};  ///< Absent on POST and PUT sends `Content-Length: 0`.
  bool chunked = false;                  ///< The body goes out by chunked transfer encoding, without a length.
  bool anonymous = false;                ///< No Authorization is sent, even where the program has a token.
};

struct Response {
  int status = 0;
  Headers headers = {};
  std::string body = {};
};

/// The value of the header `name`, compared without case; lines of one name are joined by ", " as RFC 9110 5.2 allows.
std::optional<std::string> FindHeader(const Headers& headers, std::string_view name);

/// One service, spoken to by raw HTTP.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Any complete HTTP answer is a Response, whatever its status; an error is a failure to get one.
  virtual OrError<Response> Send(const Request& request) = 0;
};

}  // namespace gcsflux::conformance
