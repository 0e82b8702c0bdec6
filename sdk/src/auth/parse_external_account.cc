#include "auth/parse_external_account.h"

#include <algorithm>
#include <string>
#include <utility>

#include "auth/credential_urls.h"
#include "http/header_text.h"

namespace gcsflux::internal {
namespace {

using nlohmann::json;

constexpr auto kSource = "credential_source";

// "//iam.googleapis.com/locations/LOCATION/workforcePools/...": identities of people, not of workloads.
bool IsWorkforcePool(std::string_view audience) {
  constexpr std::string_view kPrefix = "//iam.googleapis.com/locations/";
  if (!audience.starts_with(kPrefix)) return false;
  audience.remove_prefix(kPrefix.size());
  return audience.substr(std::min(audience.find('/'), audience.size())).starts_with("/workforcePools/");
}

HeaderList ReadHeaders(JsonFields& source) {
  HeaderList headers;
  const json* object = source.OptionalObject("headers");
  if (object == nullptr) return headers;
  for (const auto& [name, value] : object->items()) {
    const bool is_header =
        IsHeaderName(name) && value.is_string() && IsHeaderValue(value.get_ref<const std::string&>());
    if (!is_header) {
      source.Refuse("headers", "holds one that is not a header");
      break;
    }
    headers.emplace_back(name, value.get<std::string>());
  }
  return headers;
}

// The member with the token; empty for the format "text".
std::string ReadFormat(JsonFields& source) {
  const json* object = source.OptionalObject("format");
  if (object == nullptr) return "";
  JsonFields format(*object, std::string(kSource) + ".format.");
  const std::string type = format.OptionalText("type");
  std::string field;
  if (type == "json") {
    field = format.Text("subject_token_field_name");
  } else if (!type.empty() && type != "text") {
    format.Refuse("type", "is neither text nor json");
  }
  if (format.failure()) source.Adopt(*format.failure());
  return field;
}

SubjectTokenSource ReadSource(JsonFields& account) {
  const json* object = account.OptionalObject(kSource);
  if (object == nullptr) {
    account.Refuse(kSource, "is missing");
    return {};
  }
  JsonFields source(*object, std::string(kSource) + ".");
  SubjectTokenSource read{.file = source.OptionalText("file"),
                          .url = source.OptionalText("url"),
                          .headers = ReadHeaders(source),
                          .json_field = ReadFormat(source)};
  for (const char* other : {"executable", "environment_id", "certificate"}) {
    if (object->contains(other)) source.Refuse(other, "is not supported: file and url are");
  }
  if (read.file.empty() == read.url.empty()) source.Refuse("file", "or url must be there, and only one of them");
  if (!read.url.empty() && !IsSubjectTokenUrl(read.url)) source.Refuse("url", "is neither https nor of this machine");
  if (source.failure()) account.Adopt(*source.failure());
  return read;
}

std::vector<std::string> ReadDelegates(JsonFields& fields) {
  std::vector<std::string> delegates;
  const json* list = fields.OptionalArray("delegates");
  if (list == nullptr) return delegates;
  for (const json& delegate : *list) {
    if (!delegate.is_string()) {
      fields.Refuse("delegates", "holds one that is not a text");
      break;
    }
    delegates.push_back(delegate.get<std::string>());
  }
  return delegates;
}

std::chrono::seconds ReadLifetime(JsonFields& fields) {
  const json* object = fields.OptionalObject("service_account_impersonation");
  if (object == nullptr) return Impersonation{}.lifetime;
  JsonFields impersonation(*object, "service_account_impersonation.");
  const auto seconds = impersonation.OptionalInteger("token_lifetime_seconds");
  // https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken
  if (seconds && (*seconds < 600 || *seconds > 43200)) {
    impersonation.Refuse("token_lifetime_seconds", "is not from 600 to 43200");
  }
  if (impersonation.failure()) fields.Adopt(*impersonation.failure());
  return seconds ? std::chrono::seconds(*seconds) : Impersonation{}.lifetime;
}

}  // namespace

std::optional<Impersonation> ReadImpersonation(JsonFields& fields) {
  Impersonation impersonation{.url = fields.OptionalText("service_account_impersonation_url"),
                              .delegates = ReadDelegates(fields),
                              .lifetime = ReadLifetime(fields)};
  if (impersonation.url.empty()) return std::nullopt;
  if (!IsImpersonationUrl(impersonation.url)) {
    fields.Refuse("service_account_impersonation_url", "is not generateAccessToken of iamcredentials.googleapis.com");
  }
  return impersonation;
}

Result<CredentialConfig> ReadExternalAccount(const json& object) {
  JsonFields fields(object);
  ExternalAccount account{.audience = fields.Text("audience"),
                          .subject_token_type = fields.Text("subject_token_type"),
                          .token_url = fields.Text("token_url"),
                          .source = ReadSource(fields),
                          .workforce_pool_user_project = fields.OptionalText("workforce_pool_user_project"),
                          .client_id = fields.OptionalText("client_id"),
                          .client_secret = fields.OptionalText("client_secret"),
                          .impersonation = ReadImpersonation(fields)};
  if (!IsStsUrl(account.token_url)) fields.Refuse("token_url", "is not that of sts.googleapis.com over https");
  if (!account.workforce_pool_user_project.empty() && !IsWorkforcePool(account.audience)) {
    fields.Refuse("workforce_pool_user_project", "is for workforce pools, and its audience names none");
  }
  if (fields.failure()) return *fields.failure();
  return CredentialConfig{.kind = std::move(account)};
}

}  // namespace gcsflux::internal
