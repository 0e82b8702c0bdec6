#pragma once

#include <memory>
#include <string>

#include "http/http.h"

namespace gcsflux::conformance {

/// HTTP/1.1 over libcurl. Beyond what a case asks for, only Host, User-Agent, Content-Length and Authorization are
/// added. Redirects are answers and are not followed. One connection is kept between requests. For one thread.
class CurlTransport : public Transport {
 public:
  /// `endpoint` is "http://host:port" or https. An empty `access_token` sends no Authorization.
  CurlTransport(std::string endpoint, std::string access_token);
  ~CurlTransport() override;

  OrError<Response> Send(const Request& request) override;

 private:
  struct Close {
    void operator()(void* handle) const;
  };

  const std::string endpoint_;
  const std::string access_token_;
  const std::unique_ptr<void, Close> handle_;  // CURL*
};

}  // namespace gcsflux::conformance
