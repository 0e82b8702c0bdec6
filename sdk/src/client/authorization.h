#pragma once

#include <memory>
#include <string>

#include "auth/blob_signer.h"
#include "auth/find_credentials.h"
#include "auth/token_cache.h"
#include "base/process/environment.h"
#include "gcsflux/options.h"

namespace gcsflux::internal {

/// The identity of a client's requests.
struct Authorization {
  std::shared_ptr<TokenCache> tokens = {};        ///< Null for anonymous access.
  std::string quota_project = {};                 ///< Empty if requests name no quota project.
  std::shared_ptr<const BlobSigner> signer = {};  ///< Null for anonymous access.
};

/// The authorization that the options and the environment determine. If no credentials are given, Application Default
/// Credentials are used, except with an emulator's endpoint: one that a variable names, or one over plain http.
///
/// Fails like Credentials::FromFile. Returns kInvalidArgument also if a token would go over plain http to another
/// machine.
Result<Authorization> ResolveAuthorization(const ClientOptions& options, const std::string& endpoint, const GetEnv& env,
                                           const ReadFile& read);

}  // namespace gcsflux::internal
