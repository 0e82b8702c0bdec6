#pragma once

#include <memory>
#include <string>

#include "auth/blob_signer.h"
#include "auth/find_credentials.h"
#include "auth/token_cache.h"
#include "base/environment.h"
#include "gcsflux/options.h"

namespace gcsflux::internal {

/// As whom a client speaks.
struct Authorization {
  std::shared_ptr<TokenCache> tokens = {};        ///< Null for anonymous access.
  std::string quota_project = {};                 ///< Empty where requests name none.
  std::shared_ptr<const BlobSigner> signer = {};  ///< Null for anonymous access.
};

/// What the options and their surroundings come to. Where no credentials are given, Application Default Credentials are
/// looked for, unless the endpoint is an emulator's: one that a variable names, or one over plain http.
///
/// Fails as Credentials::FromFile does; kInvalidArgument also where a token would go over plain http beyond this
/// machine.
Result<Authorization> ResolveAuthorization(const ClientOptions& options, const std::string& endpoint, const GetEnv& env,
                                           const ReadFile& read);

}  // namespace gcsflux::internal
