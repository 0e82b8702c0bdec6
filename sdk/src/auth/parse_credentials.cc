#include "auth/parse_credentials.h"

#include <nlohmann/json.hpp>

#include "auth/access_token.h"
#include "auth/credential_urls.h"
#include "auth/json_fields.h"
#include "auth/parse_external_account.h"
#include "auth/token_answers.h"
#include "base/invalid_argument.h"

namespace gcsflux::internal {
namespace {

using nlohmann::json;

constexpr auto kGoogleTokenUri = "https://oauth2.googleapis.com/token";

std::string ReadTokenUri(JsonFields& fields) {
  std::string uri = fields.OptionalText("token_uri");
  if (uri.empty()) return kGoogleTokenUri;
  if (!IsTokenUrl(uri)) fields.Refuse("token_uri", "is not a token endpoint of Google over https");
  return uri;
}

Result<CredentialConfig> ReadServiceAccount(const json& object) {
  JsonFields fields(object);
  ServiceAccountKey key{.client_email = fields.Text("client_email"),
                        .private_key_id = fields.OptionalText("private_key_id"),
                        .private_key = RsaKey::FromPem(fields.Text("private_key")),
                        .token_uri = ReadTokenUri(fields)};
  if (!key.private_key) fields.Refuse("private_key", "is no RSA key in PEM without a passphrase");
  if (fields.failure()) return *fields.failure();
  return CredentialConfig{.kind = std::move(key)};
}

Result<CredentialConfig> ReadAuthorizedUser(const json& object) {
  JsonFields fields(object);
  AuthorizedUser user{.client_id = fields.Text("client_id"),
                      .client_secret = fields.Text("client_secret"),
                      .refresh_token = fields.Text("refresh_token"),
                      .token_uri = ReadTokenUri(fields)};
  if (fields.failure()) return *fields.failure();
  return CredentialConfig{.kind = std::move(user)};
}

Result<CredentialConfig> ReadAny(const json& object);

Result<CredentialConfig> ReadImpersonated(const json& object) {
  JsonFields fields(object);
  auto impersonation = ReadImpersonation(fields);
  if (!impersonation) fields.Refuse("service_account_impersonation_url", "is missing");
  const json* source = fields.OptionalObject("source_credentials");
  if (source == nullptr) fields.Refuse("source_credentials", "is missing");
  if (source == nullptr || fields.failure()) return *fields.failure();
  if (source->value("type", json()) == "impersonated_service_account") {
    return InvalidArgument("its source_credentials are impersonated themselves: name a chain in delegates");
  }
  auto base = ReadAny(*source);
  if (!base) return InvalidArgument("in its source_credentials, " + base.error().message);
  return CredentialConfig{
      .kind = ImpersonatedServiceAccount{std::make_shared<const CredentialConfig>(*std::move(base)), *impersonation}};
}

Result<CredentialConfig> ReadAny(const json& object) {
  struct Reader {
    const char* type;
    Result<CredentialConfig> (*read)(const json&);
  };
  constexpr Reader kReaders[] = {{"service_account", &ReadServiceAccount},
                                 {"authorized_user", &ReadAuthorizedUser},
                                 {"impersonated_service_account", &ReadImpersonated},
                                 {"external_account", &ReadExternalAccount}};
  JsonFields fields(object);
  const std::string type = fields.Text("type");
  if (fields.failure()) return *fields.failure();
  // A file of another universe would fetch its tokens elsewhere.
  if (object.value("universe_domain", json("googleapis.com")) != "googleapis.com") {
    return InvalidArgument("its universe_domain is not googleapis.com, the only one that is supported");
  }
  std::string known;
  for (const Reader& reader : kReaders) {
    if (type == reader.type) return reader.read(object);
    known += std::string(known.empty() ? "" : ", ") + reader.type;
  }
  return InvalidArgument("its type is not one of " + known);
}

}  // namespace

Result<CredentialConfig> ParseCredentials(std::string_view text) {
  const json object = ObjectIn(text);
  if (object.is_null()) return InvalidArgument("it is not a JSON object");
  auto config = ReadAny(object);
  if (!config) return config;
  JsonFields fields(object);
  config->quota_project_id = fields.OptionalText("quota_project_id");
  if (!config->quota_project_id.empty() && !IsTokenText(config->quota_project_id)) {
    fields.Refuse("quota_project_id", "is no project's name");
  }
  if (fields.failure()) return *fields.failure();
  return config;
}

}  // namespace gcsflux::internal
