#pragma once

#include <functional>
#include <optional>
#include <string>

#include "auth/credential_config.h"
#include "base/environment.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// A file's content; nothing where there is no such file, kLocalIo where it cannot be read.
using ReadFile = std::function<Result<std::optional<std::string>>(const std::string& path)>;
/// Of this machine, up to 1 MiB.
Result<std::optional<std::string>> ReadLocalFile(const std::string& path);

/// The credential in a file. kLocalIo where it is not there or cannot be read, kInvalidArgument where it is wrong;
/// `source` says in the message who named the path.
Result<CredentialConfig> LoadCredentials(const std::string& path, const std::string& source, const ReadFile& read);

/// The metadata server as host[:port]: GCE_METADATA_HOST, or its address. kInvalidArgument if the variable names
/// neither this machine nor Google's server.
Result<std::string> FindMetadataHost(const GetEnv& env);

/// Application Default Credentials, https://cloud.google.com/docs/authentication/application-default-credentials: the
/// file that GOOGLE_APPLICATION_CREDENTIALS names; gcloud's own (in CLOUDSDK_CONFIG, else in ~/.config/gcloud); the
/// metadata server (GCE_METADATA_HOST, else its address), which is not asked here. A place that is there but broken
/// is an error: the next one would be somebody else.
Result<CredentialConfig> FindApplicationDefault(const GetEnv& env, const ReadFile& read);

}  // namespace gcsflux::internal
