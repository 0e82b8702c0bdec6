#include "auth/token_requests.h"

#include <nlohmann/json.hpp>

#include "auth/signed_jwt.h"
#include "base/text/base64.h"
#include "base/text/percent_encoding.h"
#include "base/text/url.h"

namespace gcsflux::internal {
namespace {

using nlohmann::json;
using Form = std::vector<std::pair<std::string, std::string>>;

HttpRequest PostRequest(const std::string& url, const char* content_type, std::string body) {
  return {.method = Method::kPost,
          .url = url,
          .headers = {{"Content-Type", content_type}},
          .head = std::move(body),
          .bypass_proxy = IsLoopback(url)};
}

HttpRequest FormRequest(const std::string& url, const Form& form) {
  std::string body;
  for (const auto& [name, value] : form) {
    body += (body.empty() ? "" : "&") + PercentEncode(name) + "=" + PercentEncode(value);
  }
  return PostRequest(url, "application/x-www-form-urlencoded", std::move(body));
}

}  // namespace

TokenRequest AssertionRequest(const ServiceAccountKey& key, const std::string& assertion) {
  return {FormRequest(key.token_uri,
                      {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"}, {"assertion", assertion}}),
          {assertion}};
}

TokenRequest RefreshRequest(const AuthorizedUser& user) {
  return {FormRequest(user.token_uri, {{"grant_type", "refresh_token"},
                                       {"client_id", user.client_id},
                                       {"client_secret", user.client_secret},
                                       {"refresh_token", user.refresh_token}}),
          {user.client_secret, user.refresh_token}};
}

TokenRequest ExchangeRequest(const ExternalAccount& account, const std::string& subject_token) {
  Form form = {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
               {"audience", account.audience},
               {"scope", kCloudPlatformScope},
               {"requested_token_type", "urn:ietf:params:oauth:token-type:access_token"},
               {"subject_token", subject_token},
               {"subject_token_type", account.subject_token_type}};
  // If the client names itself, its own project is used.
  if (!account.workforce_pool_user_project.empty() && account.client_id.empty()) {
    form.emplace_back("options", json{{"userProject", account.workforce_pool_user_project}}.dump());
  }
  TokenRequest request{FormRequest(account.token_url, form), {subject_token, account.client_secret}};
  if (!account.client_id.empty()) {
    const std::string basic = Base64Encode(account.client_id + ":" + account.client_secret);
    request.http.headers.emplace_back("Authorization", "Basic " + basic);
    request.secrets.push_back(basic);
  }
  return request;
}

TokenRequest ImpersonationRequest(const Impersonation& impersonation, const std::string& token) {
  const json body = {{"scope", json::array({kCloudPlatformScope})},
                     {"lifetime", std::to_string(impersonation.lifetime.count()) + "s"}};
  return IamRequest(impersonation.url, body, impersonation.delegates, token);
}

TokenRequest IamRequest(const std::string& url, json body, const std::vector<std::string>& delegates,
                        const std::string& token) {
  for (const std::string& delegate : delegates) {
    const bool is_whole = delegate.starts_with("projects/");
    body["delegates"].push_back(is_whole ? delegate : "projects/-/serviceAccounts/" + delegate);
  }
  TokenRequest request{PostRequest(url, "application/json", body.dump()), {token}};
  request.http.headers.emplace_back("Authorization", "Bearer " + token);
  return request;
}

TokenRequest MetadataRequest(const std::string& host) {
  // The server is on this machine's network card, or does not exist: a longer wait is useless.
  constexpr std::chrono::milliseconds kConnectTimeout(1000);
  return {HttpRequest{.url = "http://" + host + "/computeMetadata/v1/instance/service-accounts/default/token",
                      .headers = {{"Metadata-Flavor", "Google"}},
                      .bypass_proxy = true,
                      .connect_timeout = kConnectTimeout}};
}

TokenRequest SubjectTokenRequest(const SubjectTokenSource& source) {
  TokenRequest request{HttpRequest{
      .url = source.url, .headers = Headers(source.headers), .bypass_proxy = !source.url.starts_with("https://")}};
  for (const auto& [name, value] : source.headers) request.secrets.push_back(value);
  return request;
}

}  // namespace gcsflux::internal
