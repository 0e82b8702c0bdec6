#pragma once

#include <chrono>
#include <map>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"

namespace gcsflux {

/// What the bearer of a signed URL may do, once it is signed: that one request, as often as they like.
enum class SignedMethod {
  kGet,
  kHead,
  kPut,  ///< Stores an object in one request.
  kDelete,
  /// POST: starts a resumable upload, whose own URI then takes the bytes without any signature. The request must carry
  /// the header `x-goog-resumable: start`, which is signed by itself.
  kStartUpload,
};

struct SignedUrlOptions {
  SignedMethod method = SignedMethod::kGet;
  /// 1 s to 7 days, from now on by this machine's clock. Keep it short: a URL cannot be called back. What IAM signs
  /// with keys of Google's own is good for 12 hours at least, not for the 7 days.
  std::chrono::seconds lifetime = std::chrono::minutes(15);
  /// The request must carry them with these very values: a PUT's Content-Type, x-goog-if-generation-match and so on.
  std::map<std::string, std::string> headers = {};
  /// Become part of the URL: {"generation", "17"}, {"response-content-disposition", "attachment"}.
  std::map<std::string, std::string> query = {};
  /// "https://bucket.storage.googleapis.com/name" in place of "https://storage.googleapis.com/bucket/name". Set it
  /// where somebody's rules are by host. Not for endpoints that are IP addresses.
  bool is_virtual_hosted = false;
  /// In whose name: an e-mail address. The credential's own service account where empty. Set it for credentials that
  /// are of none (a user's, a fixed token), or to sign for another one; the credential then needs the role
  /// roles/iam.serviceAccountTokenCreator on it.
  std::string service_account = {};
  std::stop_token stop = {};
};

/// A URL by which whoever holds it can do one thing to `object` without credentials, until it expires: V4 signatures,
/// https://cloud.google.com/storage/docs/access-control/signed-urls. It is a secret.
///
/// A service account's key signs here, without any request. Credentials without a key (impersonated and external
/// accounts, the metadata server, a user with SignedUrlOptions::service_account) ask IAM Credentials' signBlob, which
/// takes the role roles/iam.serviceAccountTokenCreator on the account. Nothing is checked but what is here: a URL for
/// an object that is not there, or that the account may not touch, is found out by its user.
///
/// kInvalidArgument: options out of their range, headers or parameters that cannot be signed, credentials of no service
/// account. kUnauthenticated: anonymous, or refused by IAM. kTokenUnavailable: IAM did not answer. Thread-safe.
Result<std::string> SignUrl(const Client& client, const ObjectName& object, const SignedUrlOptions& options = {});

}  // namespace gcsflux
