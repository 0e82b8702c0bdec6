#include "gcsflux/signed_url.h"

#include <algorithm>
#include <cctype>

#include "auth/v4_signing.h"
#include "base/invalid_argument.h"
#include "base/object_name.h"
#include "base/text/url.h"
#include "client/client_core.h"

namespace gcsflux {
namespace {

using internal::InvalidArgument;
using internal::TokenContext;
using internal::V4Request;

constexpr std::chrono::seconds kLongest = std::chrono::days(7);

constexpr std::string_view kMethods[] = {"GET", "HEAD", "PUT", "DELETE", "POST"};

bool IsIpAddress(const std::string& host) {
  return host.starts_with('[') || host.find_first_not_of("0123456789.") == std::string::npos;
}

bool IsAccount(const std::string& email) {
  const bool is_text = std::all_of(email.begin(), email.end(), [](char c) { return c > ' ' && c <= '~' && c != '/'; });
  return is_text && email.find('@') != std::string::npos;
}

Result<void> Check(const ObjectName& object, const SignedUrlOptions& options) {
  if (auto checked = internal::CheckObject(object); !checked) return checked;
  if (std::ranges::find(kMethods, options.method) == std::end(kMethods)) {
    return InvalidArgument("SignedUrlOptions::method must be GET, HEAD, PUT, DELETE or POST");
  }
  if (options.lifetime.count() < 1 || options.lifetime > kLongest) {
    return InvalidArgument("SignedUrlOptions::lifetime must be from 1 s to 7 days");
  }
  if (options.service_account.empty() || IsAccount(options.service_account)) return {};
  return InvalidArgument("SignedUrlOptions::service_account is not an e-mail address");
}

// The parts of the URL that depend neither on the signer nor on the time.
Result<V4Request> Address(const std::string& endpoint, const ObjectName& object, const SignedUrlOptions& options) {
  const auto url = internal::ParseUrl(endpoint);
  if (!url) return InvalidArgument("the endpoint is no URL");
  const std::string authority = url->host + (url->port.empty() ? "" : ":" + url->port);
  V4Request request{.method = options.method,
                    .scheme = url->is_https ? "https" : "http",
                    .host = authority,
                    .path = "/" + object.bucket + "/" + internal::EncodePath(object.name),
                    .headers = options.headers,
                    .query = options.query,
                    .lifetime = options.lifetime};
  if (options.method == "POST") request.headers.emplace("x-goog-resumable", "start");
  if (!options.is_virtual_hosted) return request;
  if (IsIpAddress(url->host))
    return InvalidArgument("a virtual-hosted URL needs an endpoint with a name, not an IP address");
  request.host = object.bucket + "." + authority;
  request.path = "/" + internal::EncodePath(object.name);
  return request;
}

Result<std::string> Sign(const ClientCore& core, const ObjectName& object, const SignedUrlOptions& options) {
  if (auto checked = Check(object, options); !checked) return checked.error();
  const internal::BlobSigner* const signer = core.settings().authorization.signer.get();
  if (signer == nullptr) return Error{ErrorCode::kUnauthenticated, "anonymous access has no identity that can sign"};
  auto request = Address(core.endpoint(), object, options);
  if (!request) return request.error();
  const TokenContext context = core.TokenContextFor(options.stop);
  auto account = options.service_account.empty() ? signer->Account(context) : options.service_account;
  if (!account) return account.error();
  request->account = *std::move(account);
  request->signed_at = context.timing.SystemNow();
  const auto canonical = internal::Canonicalize(*request);
  if (!canonical) return canonical.error();
  const auto signature = signer->Sign(request->account, canonical->string_to_sign, context);
  if (!signature) return signature.error();
  return internal::SignedUrlOf(*request, *canonical, *signature);
}

}  // namespace

Result<std::string> SignUrl(const Client& client, const ObjectName& object, const SignedUrlOptions& options) {
  auto url = Sign(CoreOf(client), object, options);
  if (url) return url;
  Error error = url.error();
  error.message = "no signed URL for " + ToUri(object) + ": " + error.message;
  return error;
}

}  // namespace gcsflux
