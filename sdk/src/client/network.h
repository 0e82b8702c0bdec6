#pragma once

#include <string>

#include "auth/find_credentials.h"
#include "base/process/environment.h"
#include "gcsflux/options.h"
#include "http/curl_transport.h"

namespace gcsflux::internal {

/// The network settings of the options and, where they are unset, of the environment. libcurl itself reads the
/// environment's proxies.
///
/// Returns kInvalidArgument if the proxy, the user agent or a PEM file is malformed, or a key has no certificate.
/// Returns kLocalIo if a file is missing or cannot be read.
Result<CurlOptions> ResolveNetwork(const ClientOptions& options, const GetEnv& env, const ReadFile& read);

/// User names and passwords of the proxies in the options or the environment.
std::vector<std::string> ProxySecrets(const ClientOptions& options, const GetEnv& env);

/// Returns kInvalidArgument if a header is malformed, or is one that the client itself sends.
Result<void> CheckExtraHeaders(const HeaderList& headers);

}  // namespace gcsflux::internal
