#pragma once

#include <chrono>
#include <map>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"

namespace gcsflux {

/// What SignUrl() allows, and for how long.
struct SignedUrlOptions {
  /// The request that the URL allows, any number of times: "GET", "HEAD", "PUT" (stores an object in one request),
  /// "DELETE", or "POST". A POST starts a resumable upload; the upload's own URI then takes the bytes without a
  /// signature. The request must carry the header `x-goog-resumable: start`, which gcsflux adds to the signed headers.
  std::string method = "GET";
  /// 1 s to 7 days, from now on by this machine's clock. Keep it short: a URL cannot be revoked. If IAM signs with
  /// Google's own keys, a URL is valid for at least 12 hours, but not for 7 days.
  std::chrono::seconds lifetime = std::chrono::minutes(15);
  /// The request must carry these headers with exactly these values: a PUT's Content-Type, x-goog-if-generation-match
  /// and so on.
  std::map<std::string, std::string> headers = {};
  /// Parameters of the URL: {"generation", "17"}, {"response-content-disposition", "attachment"}.
  std::map<std::string, std::string> query = {};
  /// "https://bucket.storage.googleapis.com/name" instead of "https://storage.googleapis.com/bucket/name". Set it if a
  /// firewall or a policy has rules by host name. Not for endpoints that are IP addresses.
  bool is_virtual_hosted = false;
  /// The e-mail address of the service account that signs. If empty, the credential's own. Set it for credentials
  /// without a service account (a user's, a fixed token), or to sign as another account. The credential then needs the
  /// role roles/iam.serviceAccountTokenCreator on that account.
  std::string service_account = {};
  std::stop_token stop = {};
};

/// A URL that allows one kind of request on `object` without credentials, until it expires: V4 signatures,
/// https://cloud.google.com/storage/docs/access-control/signed-urls. Anyone who has the URL can use it: it is a secret.
///
/// With a service account's key the client signs locally, without a request. Credentials without a key ask IAM
/// Credentials' signBlob: impersonated and external accounts, the metadata server, a user with
/// SignedUrlOptions::service_account. That needs the role roles/iam.serviceAccountTokenCreator on the account. The
/// service is not asked whether the object exists, or whether the account may access it: only the use of the URL shows
/// that.
///
/// Returns kInvalidArgument if the method is another one, an option is out of its range, a header or parameter cannot
/// be signed, or the credentials have no service account. Returns kUnauthenticated if the credentials are anonymous or
/// IAM refuses them, and kTokenUnavailable if IAM does not answer. Thread-safe.
Result<std::string> SignUrl(const Client& client, const ObjectName& object, const SignedUrlOptions& options = {});

}  // namespace gcsflux
