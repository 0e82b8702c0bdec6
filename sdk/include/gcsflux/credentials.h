#pragma once

#include <memory>
#include <string>

#include "gcsflux/result.h"

namespace gcsflux {

namespace internal {
struct CredentialConfig;
}

/// The identity that the client uses. A cheap, immutable value. Tokens are fetched when a call needs them. The client
/// keeps them, and renews them before they expire.
///
/// No token, key or secret appears in a message, a log or a trace. None is sent over plain http, except to this
/// machine's loopback. None is sent after a redirect, and none to a host other than the endpoint or the token endpoint;
/// if an upload's session URI names another host, that host gets no token. The metadata server is an exception that
/// Google makes: it gives its token over plain http, only at its own link-local address.
class Credentials {
 public:
  Credentials(const Credentials&) = default;  // A move copies, so that it leaves a handle that works.
  Credentials& operator=(const Credentials&) = default;

  /// Sends no Authorization header: for public buckets and emulators.
  static Credentials Anonymous();

  /// Sends `Authorization: Bearer <token>` unchanged until the token expires. It cannot be renewed.
  static Credentials AccessToken(std::string token);

  /// Application Default Credentials, in Google's order: first the file that GOOGLE_APPLICATION_CREDENTIALS names. Then
  /// gcloud's file (`gcloud auth application-default login`), in CLOUDSDK_CONFIG or ~/.config/gcloud. Then the metadata
  /// server, which GCE_METADATA_HOST may name. Client::Create reads the files; the first call asks the server.
  static Credentials ApplicationDefault();

  /// A credential file in the format of Google's tools: a service account's key, an authorized user, an impersonated
  /// service account, or an external account whose own token comes from a file or a URL. Reads the file once; makes no
  /// request.
  ///
  /// Returns kLocalIo if the file cannot be read. Returns kInvalidArgument if its content is wrong; the message names
  /// the member.
  ///
  /// The file decides where secrets are sent, and another person may have written it. Therefore its URLs are checked.
  /// They must be https and
  /// - token_uri: below googleapis.com, or accounts.google.com;
  /// - token_url: Google's Security Token Service, sts.googleapis.com and its regional forms;
  /// - service_account_impersonation_url: generateAccessToken of iamcredentials.googleapis.com and its regional forms;
  /// - credential_source.url: any host, or 169.254.169.254 over plain http; its answer goes to token_url only.
  ///
  /// Loopback addresses are allowed, for emulators. Commands (credential_source.executable) are never run. Two things
  /// are not checked: the identity itself, and the local file that credential_source.file names. See
  /// https://cloud.google.com/docs/authentication/external/externally-sourced-credentials
  static Result<Credentials> FromFile(const std::string& path);

 private:
  // For the other parts of this library.
  friend const internal::CredentialConfig& ConfigOf(const Credentials& credentials);
  friend Credentials CredentialsOf(internal::CredentialConfig config);
  explicit Credentials(std::shared_ptr<const internal::CredentialConfig> config) : config_(std::move(config)) {}

  std::shared_ptr<const internal::CredentialConfig> config_;
};

}  // namespace gcsflux
