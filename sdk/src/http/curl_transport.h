#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
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
  /// PEM files; the key may be in the certificate's.
  std::string client_certificate_file = {};
  std::string client_key_file = {};
  /// As libcurl's environment variables say where unset; none where empty.
  std::optional<std::string> proxy = {};
  std::optional<std::string> no_proxy = {};
};

/// Transport over libcurl: HTTP/1.1, certificates verified, no redirects. The exchange of a
/// thread borrows a handle with its own connection from a pool; those of fibers share their loop's connections. The
/// loops that have used it end before it does.
std::unique_ptr<Transport> MakeCurlTransport(const CurlOptions& options);

}  // namespace gcsflux::internal
