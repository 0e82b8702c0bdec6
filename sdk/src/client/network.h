#pragma once

#include <string>

#include "auth/find_credentials.h"
#include "base/environment.h"
#include "gcsflux/options.h"
#include "http/curl_transport.h"

namespace gcsflux::internal {

/// How the options, and the environment where they say nothing, want the network to be used. Proxies of the environment
/// are libcurl's own matter.
///
/// kInvalidArgument for a proxy that is none, a user agent that is no header's value, a key without its certificate and
/// files that are no PEM; kLocalIo for files that are not there or cannot be read.
Result<CurlOptions> ResolveNetwork(const ClientOptions& options, const GetEnv& env, const ReadFile& read);

/// Users and passwords of the proxies that the options or the environment name.
std::vector<std::string> ProxySecrets(const ClientOptions& options, const GetEnv& env);

/// kInvalidArgument where a header is malformed, or one that the client itself sends.
Result<void> CheckExtraHeaders(const Headers& headers);

}  // namespace gcsflux::internal
