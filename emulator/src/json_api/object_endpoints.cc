#include "json_api/object_endpoints.h"

#include <optional>
#include <string>
#include <utility>

#include "api/encryption_headers.h"
#include "api/media_response.h"
#include "api/object_access.h"
#include "api/object_etag.h"
#include "api/page_token.h"
#include "bodies/receive_body.h"
#include "http/entity_tags.h"
#include "json/json_writer.h"
#include "json_api/resource_json.h"
#include "json_api/resource_requests.h"
#include "store/objects/customer_key.h"
#include "store/objects/names.h"

namespace gcsflux::emulator {
namespace {

ApiResult<ObjectSelector> ReadSelector(const ApiCall& call) {
  const auto generation = Int64Parameter(call.query, "generation");
  const ApiResult<Preconditions> preconditions = ReadPreconditions(call.query);
  if (!generation) return tl::unexpected(generation.error());
  if (!preconditions) return tl::unexpected(preconditions.error());
  return ObjectSelector{call.route.object, *generation, *preconditions};
}

ApiResult<ListQuery> ReadListQuery(const QueryParameters& query) {
  const ApiResult<std::size_t> max_results = ReadMaxResults(query);
  if (!max_results) return tl::unexpected(max_results.error());
  const ApiResult<bool> has_versions = BoolParameter(query, "versions");
  const ApiResult<bool> includes_delimiter = BoolParameter(query, "includeTrailingDelimiter");
  if (!has_versions) return tl::unexpected(has_versions.error());
  if (!includes_delimiter) return tl::unexpected(includes_delimiter.error());
  const ApiResult<bool> includes_folders = BoolParameter(query, "includeFoldersAsPrefixes");
  if (!includes_folders) return tl::unexpected(includes_folders.error());
  ListQuery result{.prefix = query.Value("prefix"),
                   .delimiter = query.Value("delimiter"),
                   .start_offset = query.Value("startOffset"),
                   .end_offset = query.Value("endOffset"),
                   .max_results = *max_results,
                   .has_versions = *has_versions};
  result.includes_trailing_delimiter = *includes_delimiter;
  result.has_folders = *includes_folders;
  if (const std::string pattern = query.Value("matchGlob"); !pattern.empty()) {
    Outcome<Glob> glob = Glob::Parse(pattern);
    if (!glob) return tl::unexpected(ToApiError(glob.error()));
    result.glob = *std::move(glob);
  }
  const std::string token = query.Value("pageToken");
  if (token.empty()) return result;
  result.after = DecodePageToken(token);
  if (!result.after) return tl::unexpected(BadParameter("Invalid page token."));
  return result;
}

std::string RenderPage(const ApiCall& call, const ListPage& page) {
  JsonWriter json;
  json.BeginObject();
  if (call.fields.Includes("kind")) json.Member("kind", "storage#objects");
  if (call.fields.Includes("nextPageToken") && page.next) {
    json.Member("nextPageToken", EncodePageToken(*page.next));
  }
  if (call.fields.Includes("prefixes") && !page.prefixes.empty()) {
    json.Key("prefixes");
    json.BeginArray();
    for (const std::string& prefix : page.prefixes) json.String(prefix);
    json.EndArray();
  }
  if (call.fields.Includes("items") && !page.objects.empty()) {
    const ObjectRenderer renderer(call.fields.Inside("items"), call.shows_acl);
    json.Key("items");
    json.BeginArray();
    for (const ObjectPtr& object : page.objects) {
      renderer.Write(json, ObjectView{.object = *object, .bucket = call.route.bucket, .base_url = call.base_url});
    }
    json.EndArray();
  }
  json.EndObject();
  return json.Take();
}

// Whether the client asks for soft-deleted objects. 400 if such a request is not valid.
ApiResult<bool> AsksForSoftDeleted(const ApiCall& call, const BucketInfo& bucket) {
  ApiResult<bool> asked = BoolParameter(call.query, "softDeleted");
  if (!asked || !*asked) return asked;
  if (BoolParameter(call.query, "versions").value_or(false)) {
    return tl::unexpected(BadRequest("softDeleted and versions cannot both be set."));
  }
  if (!bucket.soft_delete || bucket.soft_delete->retention.count() == 0) {
    return tl::unexpected(BadRequest("The bucket " + bucket.name + " does not have soft delete enabled."));
  }
  return true;
}

// Changes the attributes, and settles who may use the object then and who may say so.
ApiResult<void> SettleChange(const ApiCall& call, const BucketInfo& bucket, const AttributesChange& change,
                             ObjectAttributes& attributes) {
  const auto before = attributes.settings;
  change(attributes);
  const auto setting = [](const auto& settings, const char* name) {
    const auto found = settings.find(name);
    return found != settings.end() ? found->second : std::string();
  };
  const ObjectPlace place = {call.route.bucket, call.route.object};
  if (setting(before, "retention") != setting(attributes.settings, "retention")) {
    if (auto may = call.caller.Require(Permission::kObjectsSetRetention, place); !may) return may;
    if (call.query.Value("overrideUnlockedRetention") == "true") {
      auto may = call.caller.Require(Permission::kObjectsOverrideUnlockedRetention, place);
      if (!may) return may;
    }
  }
  const std::string predefined = call.query.Value("predefinedAcl");
  const bool gives_acl = setting(before, "acl") != setting(attributes.settings, "acl");
  if (predefined.empty() && !gives_acl) return {};
  if (auto may = call.caller.Require(Permission::kObjectsSetIamPolicy, place); !may) return may;
  return SettleObjectAcl(call.caller, bucket, predefined, gives_acl, attributes);
}

// Metadata is shown without a key, but not with a wrong one.
ApiResult<void> CheckKey(const ApiCall& call, const Object& object, bool is_needed) {
  const ApiResult<std::string> key = ReadCustomerKey(call.request.headers);
  if (!key) return tl::unexpected(key.error());
  if (key->empty() && !is_needed) return {};
  const Outcome<void> checked = CheckCustomerKey(object, *key);
  return checked ? ApiResult<void>() : tl::unexpected(ToApiError(checked.error()));
}

}  // namespace

ApiResult<std::shared_ptr<Bucket>> ObjectEndpoints::FindBucket(const ApiCall& call) const {
  auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  return *std::move(bucket);
}

ApiResult<ObjectPtr> ObjectEndpoints::Find(const ApiCall& call) const {
  const auto bucket = FindBucket(call);
  if (!bucket) return tl::unexpected(bucket.error());
  const ApiResult<ObjectSelector> selector = ReadSelector(call);
  if (!selector) return tl::unexpected(selector.error());
  const ApiResult<bool> is_of_deleted = AsksForSoftDeleted(call, *(*bucket)->info());
  if (!is_of_deleted) return tl::unexpected(is_of_deleted.error());
  if (*is_of_deleted && !selector->generation) return tl::unexpected(MissingParameter("generation"));
  Outcome<ObjectPtr> object = *is_of_deleted ? (*bucket)->GetSoftDeleted(selector->name, *selector->generation)
                                             : (*bucket)->GetObject(*selector);
  if (!object) return tl::unexpected(ToApiError(object.error()));
  return *std::move(object);
}

ApiResult<HttpResponse> ObjectEndpoints::List(const ApiCall& call) const {
  const auto bucket = FindBucket(call);
  if (!bucket) return tl::unexpected(bucket.error());
  const ApiResult<ListQuery> query = ReadListQuery(call.query);
  if (!query) return tl::unexpected(query.error());
  const ApiResult<bool> is_of_deleted = AsksForSoftDeleted(call, *(*bucket)->info());
  if (!is_of_deleted) return tl::unexpected(is_of_deleted.error());
  const ListPage page = *is_of_deleted ? (*bucket)->ListSoftDeleted(*query) : (*bucket)->List(*query);
  call.subject.listed_items = page.objects.size() + page.prefixes.size();
  return JsonResponse(RenderPage(call, page));
}

ApiResult<HttpResponse> ObjectEndpoints::Get(const ApiCall& call) const {
  if (call.query.Value("alt") == "media") return Download(call);
  const ApiResult<ObjectPtr> object = Find(call);
  if (!object) return tl::unexpected(object.error());
  if (auto checked = CheckKey(call, **object, false); !checked) return tl::unexpected(checked.error());
  if (auto held = CheckEntityTags(call.request.headers, ObjectEtag(**object)); !held) {
    return tl::unexpected(held.error());
  }
  return ObjectResponse(call, **object);
}

ApiResult<HttpResponse> ObjectEndpoints::Download(const ApiCall& call) const {
  if (BoolParameter(call.query, "softDeleted").value_or(false)) {
    return tl::unexpected(BadRequest("The bytes of a soft-deleted object cannot be read; restore it first."));
  }
  const ApiResult<ObjectPtr> object = Find(call);
  if (!object) return tl::unexpected(object.error());
  if (auto checked = CheckKey(call, **object, true); !checked) return tl::unexpected(checked.error());
  if (auto held = CheckEntityTags(call.request.headers, ObjectEtag(**object)); !held) {
    return tl::unexpected(held.error());
  }
  return MediaResponse(**object, call.request.headers, ObjectEtag(**object), call.subject);
}

ApiResult<HttpResponse> ObjectEndpoints::Patch(const ApiCall& call) const {
  const ApiResult<std::string> text = ReceiveText(call.body);
  if (!text) return tl::unexpected(text.error());
  return Change(call, ParseObjectPatch(*text));
}

ApiResult<HttpResponse> ObjectEndpoints::Update(const ApiCall& call) const {
  const ApiResult<std::string> text = ReceiveText(call.body);
  if (!text) return tl::unexpected(text.error());
  return Change(call, ParseObjectUpdate(*text));
}

ApiResult<HttpResponse> ObjectEndpoints::Change(const ApiCall& call, const ApiResult<AttributesChange>& change) const {
  const auto bucket = FindBucket(call);
  if (!bucket) return tl::unexpected(bucket.error());
  const ApiResult<ObjectSelector> selector = ReadSelector(call);
  if (!selector) return tl::unexpected(selector.error());
  if (!change) return tl::unexpected(change.error());
  const ApiResult<bool> overrides = BoolParameter(call.query, "overrideUnlockedRetention");
  if (!overrides) return tl::unexpected(overrides.error());
  const auto before = (*bucket)->GetObject(*selector);
  if (!before) return tl::unexpected(ToApiError(before.error()));
  const auto settle = [&](ObjectAttributes& attributes) {
    return SettleChange(call, *(*bucket)->info(), *change, attributes);
  };
  ObjectAttributes trial = *(*before)->attributes;
  if (auto settled = settle(trial); !settled) return tl::unexpected(settled.error());
  const Outcome<ObjectPtr> patched = (*bucket)->PatchObject(
      *selector, [&](ObjectAttributes& attributes) { (void)settle(attributes); }, *overrides);
  if (!patched) return tl::unexpected(ToApiError(patched.error()));
  return ObjectResponse(call, **patched);
}

ApiResult<HttpResponse> ObjectEndpoints::Delete(const ApiCall& call) const {
  const auto bucket = FindBucket(call);
  if (!bucket) return tl::unexpected(bucket.error());
  const ApiResult<ObjectSelector> selector = ReadSelector(call);
  if (!selector) return tl::unexpected(selector.error());
  const Outcome<void> deleted = (*bucket)->DeleteObject(*selector);
  if (!deleted) return tl::unexpected(ToApiError(deleted.error()));
  return HttpResponse{.status = 204};
}

ApiResult<HttpResponse> ObjectEndpoints::Compose(const ApiCall& call) const {
  const auto bucket = FindBucket(call);
  if (!bucket) return tl::unexpected(bucket.error());
  if (auto valid = CheckObjectName(call.route.object); !valid) return tl::unexpected(ToApiError(valid.error()));
  const ApiResult<Preconditions> preconditions = ReadPreconditions(call.query);
  if (!preconditions) return tl::unexpected(preconditions.error());
  ApiResult<ObjectEncryption> encryption = ReadEncryption(call.request.headers, call.query.Value("kmsKeyName"));
  if (!encryption) return tl::unexpected(encryption.error());
  const ApiResult<std::string> text = ReceiveText(call.body);
  if (!text) return tl::unexpected(text.error());
  ApiResult<ComposeResource> compose = ParseComposeResource(*text);
  if (!compose) return tl::unexpected(compose.error());
  for (const ObjectSelector& source : compose->sources) {
    auto allowed = call.caller.Require(Permission::kObjectsGet, {call.route.bucket, source.name, source.generation});
    if (!allowed) return tl::unexpected(allowed.error());
  }
  auto settled = SettleNewObjectAcl(call.caller, *(*bucket)->info(), call.query.Value("destinationPredefinedAcl"),
                                    compose->attributes);
  if (!settled) return tl::unexpected(settled.error());
  if (compose->delete_source_objects) {
    auto allowed = call.caller.Require(Permission::kObjectsDelete, call.route.bucket);
    if (!allowed) return tl::unexpected(allowed.error());
  }
  const Outcome<ObjectPtr> composed =
      (*bucket)->ComposeObject({.sources = compose->sources,
                                .destination = {.name = call.route.object,
                                                .attributes = std::move(compose->attributes),
                                                .encryption = *std::move(encryption),
                                                .may_replace = call.caller.MayReplace(call.route.bucket)},
                                .preconditions = *preconditions,
                                .delete_sources = compose->delete_source_objects});
  if (!composed) return tl::unexpected(ToApiError(composed.error()));
  call.subject.committed_generation = (*composed)->generation;
  return ObjectResponse(call, **composed);
}

}  // namespace gcsflux::emulator
