#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "http/http.h"

namespace gcsflux::conformance {

/// HTTP/1.1 over libcurl. Beyond what a case asks for, only Host, User-Agent, Content-Length and Authorization are
/// added. Redirects are answers and are not followed. An answer of more than 256 MiB is an error. One connection is
/// kept between requests. For one thread.
class CurlTransport : public Transport {
 public:
  /// `endpoint` is "http://host:port" or https. An empty `access_token` sends no Authorization. `time_left` says how
  /// long the next request may take; if it is empty, a request ends only if nothing moves for 30 s.
  CurlTransport(std::string endpoint, std::string access_token,
                std::function<std::chrono::milliseconds()> time_left = {});
  /// `access_token` is asked before each request.
  CurlTransport(std::string endpoint, std::function<std::string()> access_token,
                std::function<std::chrono::milliseconds()> time_left);
  ~CurlTransport() override;

  OrError<Response> Send(const Request& request) override;

 private:
  struct Close {
    void operator()(void* handle) const;
  };

  const std::string endpoint_;
  const std::function<std::string()> access_token_;
  const std::function<std::chrono::milliseconds()> time_left_;
  const std::unique_ptr<void, Close> handle_;  // CURL*
};

}  // namespace gcsflux::conformance
