#include "json_api/access/project_endpoints.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "api/page_token.h"
#include "base/base64.h"
#include "base/time_format.h"
#include "json_api/masked_json.h"
#include "json_api/request_json.h"

namespace gcsflux::emulator {
namespace {

using OrderedJson = nlohmann::ordered_json;

// https://cloud.google.com/storage/docs/json_api/v1/projects/hmacKeys/list
constexpr std::int64_t kMostKeys = 250;

std::string EtagOf(const HmacKey& key) { return EncodeBase64(std::to_string(key.changes)); }

OrderedJson Metadata(const ApiCall& call, const HmacKey& key) {
  return {{"kind", "storage#hmacKeyMetadata"},
          {"id", key.project + "/" + key.access_id},
          {"selfLink", call.base_url + "/storage/v1/projects/" + key.project + "/hmacKeys/" + key.access_id},
          {"accessId", key.access_id},
          {"projectId", key.project},
          {"serviceAccountEmail", key.service_account},
          {"state", key.state},
          {"timeCreated", FormatRfc3339(key.created)},
          {"updated", FormatRfc3339(key.updated)},
          {"etag", EtagOf(key)}};
}

ApiResult<HmacKeyQuery> ReadKeyQuery(const ApiCall& call) {
  HmacKeyQuery query{.project = call.route.project, .service_account = call.query.Value("serviceAccountEmail")};
  const ApiResult<bool> shows_deleted = BoolParameter(call.query, "showDeletedKeys");
  const auto most = Int64Parameter(call.query, "maxResults");
  if (!shows_deleted) return tl::unexpected(shows_deleted.error());
  if (!most) return tl::unexpected(most.error());
  if (most->value_or(1) < 1) return tl::unexpected(BadParameter("Invalid value for maxResults."));
  query.shows_deleted = *shows_deleted;
  query.max_results = static_cast<std::size_t>(std::min(most->value_or(kMostKeys), kMostKeys));
  const std::string token = call.query.Value("pageToken");
  if (token.empty()) return query;
  const std::optional<ListPosition> position = DecodePageToken(token);
  if (!position) return tl::unexpected(BadParameter("Invalid page token."));
  query.after = position->text;
  return query;
}

// The number of the changes that the etag stands for. A text that is no etag stands for none that there was.
std::optional<std::int64_t> ChangesOf(const std::string& etag) {
  if (etag.empty()) return std::nullopt;
  const std::optional<std::string> text = DecodeBase64(etag);
  std::int64_t changes = -1;
  if (text) (void)std::from_chars(text->data(), text->data() + text->size(), changes);
  return changes;
}

}  // namespace

ApiResult<HttpResponse> ProjectEndpoints::CreateHmacKey(const ApiCall& call) const {
  const std::string email = call.query.Value("serviceAccountEmail");
  if (email.empty()) return tl::unexpected(MissingParameter("serviceAccountEmail"));
  if (email.find('@') == std::string::npos) return tl::unexpected(BadParameter("Invalid serviceAccountEmail."));
  const Outcome<HmacKey> key = keys_.Create(call.route.project, email);
  if (!key) return tl::unexpected(ToApiError(key.error()));
  return MaskedResponse(call,
                        {{"kind", "storage#hmacKey"}, {"metadata", Metadata(call, *key)}, {"secret", key->secret}});
}

ApiResult<HttpResponse> ProjectEndpoints::GetHmacKey(const ApiCall& call) const {
  const Outcome<HmacKey> key = keys_.Get(call.route.project, call.route.item);
  if (!key) return tl::unexpected(ToApiError(key.error()));
  return MaskedResponse(call, Metadata(call, *key));
}

ApiResult<HttpResponse> ProjectEndpoints::ListHmacKeys(const ApiCall& call) const {
  const ApiResult<HmacKeyQuery> query = ReadKeyQuery(call);
  if (!query) return tl::unexpected(query.error());
  const HmacKeyPage page = keys_.List(*query);
  OrderedJson list = {{"kind", "storage#hmacKeysMetadata"}};
  for (const HmacKey& key : page.keys) list["items"].push_back(Metadata(call, key));
  if (page.next) list["nextPageToken"] = EncodePageToken(ListPosition{false, *page.next});
  return MaskedResponse(call, list);
}

ApiResult<HttpResponse> ProjectEndpoints::UpdateHmacKey(const ApiCall& call) const {
  const auto given = ReceiveJsonObject(call.body, {{"state", "string"}, {"etag", "string"}});
  if (!given) return tl::unexpected(given.error());
  const std::string state = given->value("state", "");
  if (state != "ACTIVE" && state != "INACTIVE") return tl::unexpected(InvalidField("state"));
  const Outcome<HmacKey> key =
      keys_.SetState(call.route.project, call.route.item, state, ChangesOf(given->value("etag", "")));
  if (!key) return tl::unexpected(ToApiError(key.error()));
  return MaskedResponse(call, Metadata(call, *key));
}

ApiResult<HttpResponse> ProjectEndpoints::DeleteHmacKey(const ApiCall& call) const {
  const Outcome<void> deleted = keys_.Delete(call.route.project, call.route.item);
  if (!deleted) return tl::unexpected(ToApiError(deleted.error()));
  return HttpResponse{.status = 204};
}

ApiResult<HttpResponse> ProjectEndpoints::GetServiceAccount(const ApiCall& call) const {
  return MaskedResponse(call, {{"kind", "storage#serviceAccount"},
                               {"email_address", "service-0@gs-project-accounts.iam.gserviceaccount.com"}});
}

}  // namespace gcsflux::emulator
