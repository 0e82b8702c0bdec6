#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "http/transport.h"

namespace gcsflux::internal {

struct CurlOptions {
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::seconds stall_timeout{60};
  std::size_t max_idle_connections = 256;
  std::string user_agent = {};
  /// PEM file of the certificates that vouch for servers; the system's where empty.
  std::string ca_file = {};
};

/// Transport over libcurl: HTTP/1.1, certificates verified, no redirects, proxies as libcurl's environment variables
/// say. Each exchange borrows a handle with its own connection from a pool.
std::unique_ptr<Transport> MakeCurlTransport(const CurlOptions& options);

}  // namespace gcsflux::internal
