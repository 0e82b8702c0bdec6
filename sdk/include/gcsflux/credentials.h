#pragma once

#include <memory>
#include <string>

#include "gcsflux/result.h"

namespace gcsflux {

namespace internal {
struct CredentialConfig;
}

/// Who the client claims to be. A cheap value, immutable; tokens are fetched when a call needs them, kept by the
/// client, and renewed ahead of their end.
///
/// No token, key or secret appears in a message, a log or a trace. None goes over plain http but to this machine's
/// loopback, nor after a redirect, nor to a host other than the endpoint (the session of an upload that points
/// elsewhere) or the token endpoint. The metadata server is the exception that Google makes: it gives its token over
/// plain http, at its own link-local address alone.
class Credentials {
 public:
  /// Sends no Authorization header: public buckets and emulators.
  static Credentials Anonymous();

  /// Sends `Authorization: Bearer <token>` as it is, until it expires; it cannot be renewed.
  static Credentials AccessToken(std::string token);

  /// Application Default Credentials, in Google's order: the file that GOOGLE_APPLICATION_CREDENTIALS names; gcloud's
  /// (`gcloud auth application-default login`), in CLOUDSDK_CONFIG or ~/.config/gcloud; the metadata server, which
  /// GCE_METADATA_HOST may name. Files are read by Client::Create; the server is asked by the first call.
  static Credentials ApplicationDefault();

  /// A credential file as Google's tools write it: a service account's key, an authorized user, an impersonated service
  /// account, an external account whose own token comes from a file or a URL. Reads it once; no request is made.
  ///
  /// kLocalIo where the file cannot be read, kInvalidArgument where it is wrong: the message names the member.
  ///
  /// A file that somebody else wrote decides where secrets are sent, so its URLs are checked, and refused unless they
  /// are https and
  /// - token_uri: below googleapis.com, or accounts.google.com;
  /// - token_url: Google's Security Token Service, sts.googleapis.com and its regional forms;
  /// - service_account_impersonation_url: generateAccessToken of iamcredentials.googleapis.com and its regional forms;
  /// - credential_source.url: any host, or 169.254.169.254 over plain http; its answer goes to token_url alone.
  /// Loopback addresses pass, for emulators. Commands (credential_source.executable) are never run. What is not
  /// checked: whose identity it is, and which local file credential_source.file names. See
  /// https://cloud.google.com/docs/authentication/external/externally-sourced-credentials
  static Result<Credentials> FromFile(const std::string& path);

 private:
  // The library's own layers.
  friend const internal::CredentialConfig& ConfigOf(const Credentials& credentials);
  friend Credentials CredentialsOf(internal::CredentialConfig config);
  explicit Credentials(std::shared_ptr<const internal::CredentialConfig> config) : config_(std::move(config)) {}

  std::shared_ptr<const internal::CredentialConfig> config_;
};

}  // namespace gcsflux
