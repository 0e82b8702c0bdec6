#include "client/authorization.h"

#include "auth/credential_config.h"
#include "base/invalid_argument.h"
#include "client/endpoint.h"

namespace gcsflux::internal {
namespace {

// The given credential; if it is the default one, searches for it.
Result<CredentialConfig> FindCredential(const ClientOptions& options, bool is_emulator, const GetEnv& env,
                                        const ReadFile& read) {
  if (!options.credentials && is_emulator) return CredentialConfig{.kind = AnonymousAccess{}};
  const Credentials credentials = options.credentials.value_or(Credentials::ApplicationDefault());
  if (!std::holds_alternative<ApplicationDefault>(ConfigOf(credentials).kind)) return ConfigOf(credentials);
  return FindApplicationDefault(env, read);
}

std::string QuotaProject(const ClientOptions& options, const CredentialConfig& credential, const GetEnv& env) {
  if (!options.quota_project.empty()) return options.quota_project;
  const std::string of_env = env("GOOGLE_CLOUD_QUOTA_PROJECT").value_or("");
  return of_env.empty() ? credential.quota_project_id : of_env;
}

}  // namespace

Result<Authorization> ResolveAuthorization(const ClientOptions& options, const std::string& endpoint, const GetEnv& env,
                                           const ReadFile& read) {
  const bool is_plain = endpoint.starts_with("http://");
  auto credential = FindCredential(options, is_plain || IsEmulatorNamed(env), env, read);
  if (!credential) return credential.error();
  const auto* fixed = std::get_if<FixedToken>(&credential->kind);
  if (fixed != nullptr && !IsTokenText(fixed->text))
    return InvalidArgument("the access token is empty or holds a blank");
  auto source = MakeTokenSource(*credential, options.exchange_signed_tokens);
  // An anonymous client has no quota project, unless the caller names one.
  const std::string quota_project = source ? QuotaProject(options, *credential, env) : options.quota_project;
  if (!quota_project.empty() && !IsTokenText(quota_project))
    return InvalidArgument("the quota project is not a project's name");
  if (!source) return Authorization{.quota_project = quota_project};
  if (is_plain && !IsLoopback(endpoint)) {
    return InvalidArgument("an access token would go to " + endpoint +
                           " in the clear: use https, or anonymous credentials");
  }
  auto tokens = std::make_shared<TokenCache>(std::move(source), CredentialKindName(*credential));
  return Authorization{tokens, quota_project, MakeBlobSigner(*credential, tokens)};
}

}  // namespace gcsflux::internal
