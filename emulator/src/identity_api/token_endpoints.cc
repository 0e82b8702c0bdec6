#include "identity_api/token_endpoints.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "api/authorizer.h"
#include "base/time_format.h"
#include "bodies/receive_body.h"
#include "http/json_response.h"
#include "json/bounded_json.h"
#include "json/json_writer.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr std::string_view kJwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
constexpr std::string_view kTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr std::string_view kAccessTokenType = "urn:ietf:params:oauth:token-type:access_token";
constexpr std::string_view kImpersonationSuffix = ":generateAccessToken";
constexpr std::string_view kResourcePrefix = "projects/-/serviceAccounts/";

// RFC 6749, section 5.2.
HttpResponse OAuthError(const GrantError& error) {
  JsonWriter writer;
  writer.BeginObject();
  writer.Member("error", error.error);
  writer.Member("error_description", error.description);
  writer.EndObject();
  HttpResponse response = JsonResponse(writer.Take());
  response.status = error.status;
  return response;
}

HttpResponse OAuthAnswer(const Grant& grant, std::string_view issued_token_type = {}) {
  if (!grant) return OAuthError(grant.error());
  JsonWriter writer;
  writer.BeginObject();
  writer.Member("access_token", grant->text);
  if (!issued_token_type.empty()) writer.Member("issued_token_type", issued_token_type);
  writer.Key("expires_in");
  writer.Number(grant->lifetime.count());
  writer.Member("token_type", "Bearer");
  writer.EndObject();
  return JsonResponse(writer.Take());
}

// The shape of Google's newer APIs: https://cloud.google.com/apis/design/errors
HttpResponse StatusError(int code, std::string_view status, std::string_view message) {
  JsonWriter writer;
  writer.BeginObject();
  writer.Key("error");
  writer.BeginObject();
  writer.Key("code");
  writer.Number(code);
  writer.Member("message", message);
  writer.Member("status", status);
  writer.EndObject();
  writer.EndObject();
  HttpResponse response = JsonResponse(writer.Take());
  response.status = code;
  AddChallenge(response);
  return response;
}

// "{email}" in v1/projects/-/serviceAccounts/{email}:generateAccessToken.
std::optional<std::string> ImpersonatedAccount(const std::vector<std::string>& segments) {
  const bool is_under = segments.size() == 5 && segments[0] == "v1" && segments[1] == "projects" &&
                        segments[2] == "-" && segments[3] == "serviceAccounts";
  if (!is_under || !segments[4].ends_with(kImpersonationSuffix)) return std::nullopt;
  return segments[4].substr(0, segments[4].size() - kImpersonationSuffix.size());
}

std::optional<std::string> ReadScopes(const json& request) {
  const auto scopes = request.find("scope");
  std::string joined;
  if (scopes == request.end()) return joined;
  if (!scopes->is_array()) return std::nullopt;
  for (const json& scope : *scopes) {
    if (!scope.is_string()) return std::nullopt;
    joined += (joined.empty() ? "" : " ") + scope.get<std::string>();
  }
  return joined;
}

// "projects/-/serviceAccounts/EMAIL" each.
std::optional<std::vector<std::string>> ReadDelegates(const json& request) {
  const auto delegates = request.find("delegates");
  std::vector<std::string> emails;
  if (delegates == request.end()) return emails;
  if (!delegates->is_array()) return std::nullopt;
  for (const json& delegate : *delegates) {
    if (!delegate.is_string() || !delegate.get_ref<const std::string&>().starts_with(kResourcePrefix)) {
      return std::nullopt;
    }
    emails.push_back(delegate.get<std::string>().substr(kResourcePrefix.size()));
  }
  return emails;
}

// "3600s"; fractions are not accepted.
std::optional<std::chrono::seconds> ReadLifetime(const json& request) {
  const auto lifetime = request.find("lifetime");
  if (lifetime == request.end()) return std::chrono::hours(1);
  if (!lifetime->is_string()) return std::nullopt;
  const auto& text = lifetime->get_ref<const std::string&>();
  std::int32_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_whole = error == std::errc() && std::string_view(end, text.data() + text.size()) == "s";
  return is_whole ? std::optional(std::chrono::seconds(seconds)) : std::nullopt;
}

// Whole seconds: some clients accept nothing else.
std::string ExpireTime(Time time) {
  std::string text = FormatRfc3339(std::chrono::floor<std::chrono::seconds>(time));
  const std::size_t fraction = text.find('.');
  return fraction == std::string::npos ? text : text.substr(0, fraction) + "Z";
}

std::optional<ImpersonationRequest> ReadImpersonation(const std::string& text, std::string service_account) {
  const json request = ParseBoundedJson(text);
  if (!request.is_object()) return std::nullopt;
  auto scopes = ReadScopes(request);
  auto delegates = ReadDelegates(request);
  const auto lifetime = ReadLifetime(request);
  if (!scopes || !delegates || !lifetime) return std::nullopt;
  return ImpersonationRequest{std::move(service_account), *std::move(delegates), *std::move(scopes), *lifetime};
}

}  // namespace

std::optional<HttpResponse> TokenEndpoints::Answer(const HttpRequest& request, RequestBody& body, const Target& target,
                                                   const std::string& base_url) {
  if (request.method != "POST") return std::nullopt;
  const bool is_token = target.segments == std::vector<std::string>{"token"};
  const bool is_exchange = target.segments == std::vector<std::string>{"v1", "token"};
  std::optional<std::string> service_account = ImpersonatedAccount(target.segments);
  if (!is_token && !is_exchange && !service_account) return std::nullopt;
  const ApiResult<std::string> text = ReceiveText(body);
  if (!text) return OAuthError({400, "invalid_request", text.error().message});
  if (service_account) return AnswerImpersonation(request, *text, *std::move(service_account), base_url);
  const ApiResult<Target> form = ParseTarget("/?" + *text);  // a form has the encoding of a query
  if (!form) return OAuthError({400, "invalid_request", "The request's body is not a form."});
  return is_token ? AnswerToken(form->query, base_url) : AnswerExchange(form->query);
}

HttpResponse TokenEndpoints::AnswerToken(const QueryParameters& form, const std::string& base_url) {
  const std::string grant_type = form.Value("grant_type");
  if (grant_type == kJwtBearer) {
    return OAuthAnswer(identity_.ExchangeAssertion(form.Value("assertion"), base_url + "/token"));
  }
  if (grant_type == "refresh_token") {
    return OAuthAnswer(identity_.Refresh({.client_id = form.Value("client_id"),
                                          .client_secret = form.Value("client_secret"),
                                          .refresh_token = form.Value("refresh_token"),
                                          .scope = form.Value("scope")}));
  }
  if (grant_type.empty()) return OAuthError({400, "invalid_request", "Required parameter is missing: grant_type"});
  return OAuthError({400, "unsupported_grant_type", "Invalid grant_type: " + grant_type});
}

HttpResponse TokenEndpoints::AnswerExchange(const QueryParameters& form) {
  if (form.Value("grant_type") != kTokenExchange) {
    return OAuthError({400, "unsupported_grant_type", "The grant_type must be " + std::string(kTokenExchange)});
  }
  if (form.Value("requested_token_type") != kAccessTokenType) {
    return OAuthError({400, "invalid_request", "The requested_token_type must be " + std::string(kAccessTokenType)});
  }
  return OAuthAnswer(identity_.ExchangeSubjectToken({.audience = form.Value("audience"),
                                                     .subject_token = form.Value("subject_token"),
                                                     .subject_token_type = form.Value("subject_token_type"),
                                                     .scope = form.Value("scope")}),
                     kAccessTokenType);
}

HttpResponse TokenEndpoints::AnswerImpersonation(const HttpRequest& request, const std::string& text,
                                                 std::string service_account, const std::string& base_url) {
  const std::optional<Principal> caller = IdentifyBearer(identity_, request.headers, base_url);
  if (!caller) {
    return StatusError(401, "UNAUTHENTICATED",
                       "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or "
                       "other valid authentication credential.");
  }
  const std::optional<ImpersonationRequest> wanted = ReadImpersonation(text, std::move(service_account));
  if (!wanted) return StatusError(400, "INVALID_ARGUMENT", "Request contains an invalid argument.");
  const Grant grant = identity_.Impersonate(*caller, *wanted);
  if (!grant) return StatusError(grant.error().status, grant.error().error, grant.error().description);
  JsonWriter writer;
  writer.BeginObject();
  writer.Member("accessToken", grant->text);
  writer.Member("expireTime", ExpireTime(grant->expires));
  writer.EndObject();
  return JsonResponse(writer.Take());
}

}  // namespace gcsflux::emulator
