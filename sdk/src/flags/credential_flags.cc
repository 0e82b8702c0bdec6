// The flags of the identity.
#include <gflags/gflags.h>

#include <fstream>
#include <string>

#include "flags/flag_values.h"

DEFINE_string(credentials, "",
              "The identity to use: adc (Application Default Credentials: GOOGLE_APPLICATION_CREDENTIALS, then "
              "gcloud's file, then the metadata server), anonymous, or a credential file (service account key, "
              "authorized user, impersonated or external account). Set it to anonymous for public data, or to "
              "a file to use another identity. If empty, adc; but if the endpoint is plain http "
              "or an emulator's variable is set, anonymous.");
DEFINE_string(access_token_file, "",
              "File with an OAuth 2.0 access token (`gcloud auth print-access-token > FILE`), instead of "
              "--credentials. Set it if only a token is available; it is not renewed when it expires.");
DEFINE_bool(exchange_signed_tokens, false,
            "Service accounts fetch tokens from their key's token_uri and do not sign their own. Set it if "
            "an organisation's policy requires it.");
DEFINE_string(quota_project, "",
              "Project whose quota the requests use (x-goog-user-project). Set it if user credentials may not "
              "use their own project; if empty, GOOGLE_CLOUD_QUOTA_PROJECT, then the credential file's "
              "project.");

namespace gcsflux::internal {
namespace {

Result<Credentials> ReadToken(const std::string& path) {
  std::ifstream file(path);
  std::string token;
  if (file >> token) return Credentials::AccessToken(std::move(token));
  return Error{ErrorCode::kLocalIo, "cannot read an access token from '" + path + "' (--access_token_file)"};
}

Result<Credentials> Named(const std::string& name) {
  if (name == "adc") return Credentials::ApplicationDefault();
  if (name == "anonymous") return Credentials::Anonymous();
  auto credentials = Credentials::FromFile(name);
  if (credentials) return credentials;
  return Error{credentials.error().code, "flag --credentials: " + credentials.error().message};
}

}  // namespace

Result<void> SetCredentialsFromFlags(ClientOptions& options) {
  options.exchange_signed_tokens = FLAGS_exchange_signed_tokens;
  options.quota_project = FLAGS_quota_project;
  if (FLAGS_credentials.empty() && FLAGS_access_token_file.empty()) return {};
  if (!FLAGS_credentials.empty() && !FLAGS_access_token_file.empty()) {
    return Error{ErrorCode::kInvalidArgument, "flags --credentials and --access_token_file exclude each other"};
  }
  auto credentials = FLAGS_credentials.empty() ? ReadToken(FLAGS_access_token_file) : Named(FLAGS_credentials);
  if (!credentials) return credentials.error();
  options.credentials = *std::move(credentials);
  return {};
}

}  // namespace gcsflux::internal
