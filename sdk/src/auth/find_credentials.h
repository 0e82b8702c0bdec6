#pragma once

#include <functional>
#include <optional>
#include <string>

#include "auth/credential_config.h"
#include "base/process/environment.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// A file's content. Nothing if there is no such file; kLocalIo if it cannot be read.
using ReadFile = std::function<Result<std::optional<std::string>>(const std::string& path)>;
/// Reads a file of this machine, up to 1 MiB.
Result<std::optional<std::string>> ReadLocalFile(const std::string& path);

/// The credential in a file. Returns kLocalIo if it is missing or cannot be read, and kInvalidArgument if its content
/// is wrong. `source` tells in the message where the path comes from.
Result<CredentialConfig> LoadCredentials(const std::string& path, const std::string& source, const ReadFile& read);

/// The metadata server as host[:port]: GCE_METADATA_HOST, or its address. kInvalidArgument if the variable names
/// neither this machine nor Google's server.
Result<std::string> FindMetadataHost(const GetEnv& env);

/// Application Default Credentials, https://cloud.google.com/docs/authentication/application-default-credentials: the
/// file that GOOGLE_APPLICATION_CREDENTIALS names; gcloud's file (in CLOUDSDK_CONFIG, otherwise in ~/.config/gcloud);
/// the metadata server (GCE_METADATA_HOST, otherwise its address), which is not asked here. If a place exists but is
/// damaged, that is an error, because the next place would be another identity.
Result<CredentialConfig> FindApplicationDefault(const GetEnv& env, const ReadFile& read);

}  // namespace gcsflux::internal
