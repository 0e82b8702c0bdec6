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
  /// PEM file of trusted certificates; if empty, the system's.
  std::string ca_file = {};
  /// PEM files; the certificate's file may hold the key.
  std::string client_certificate_file = {};
  std::string client_key_file = {};
  /// If absent, libcurl reads the environment; if empty, no proxy.
  std::optional<std::string> proxy = {};
  std::optional<std::string> no_proxy = {};
};

/// A Transport over libcurl: HTTP/1.1, verified certificates, no redirects. The exchange of a thread borrows a handle
/// with its own connection from a pool; those of fibers share their loop's connections. The loops that use it must end
/// before it does.
std::unique_ptr<Transport> MakeCurlTransport(const CurlOptions& options);

}  // namespace gcsflux::internal
