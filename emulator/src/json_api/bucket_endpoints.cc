#include "json_api/bucket_endpoints.h"

#include <optional>
#include <string>
#include <utility>

#include "api/bucket_requests.h"
#include "api/bucket_rules.h"
#include "api/page_token.h"
#include "bodies/receive_body.h"
#include "json/json_writer.h"
#include "json_api/bucket_json.h"
#include "json_api/predefined_acls.h"

namespace gcsflux::emulator {
namespace {

// A page of folders, of which there are none.
ApiResult<HttpResponse> EmptyList(const ApiCall& call, std::string_view kind) {
  const auto size = Int64Parameter(call.query, "pageSize");
  if (!size) return tl::unexpected(size.error());
  const std::string token = call.query.Value("pageToken");
  if (!token.empty() && !DecodePageToken(token)) return tl::unexpected(BadParameter("Invalid page token."));
  JsonWriter json;
  json.BeginObject();
  if (call.fields.Includes("kind")) json.Member("kind", std::string(kind));
  json.EndObject();
  return JsonResponse(json.Take());
}

// A bucket has a metageneration only. To ignore a generation would break a promise.
ApiResult<Preconditions> ReadBucketPreconditions(const QueryParameters& query) {
  ApiResult<Preconditions> preconditions = ReadPreconditions(query);
  if (!preconditions || (!preconditions->if_generation_match && !preconditions->if_generation_not_match)) {
    return preconditions;
  }
  return tl::unexpected(BadParameter("A bucket has no generation that ifGenerationMatch could name."));
}

ApiResult<BucketQuery> ReadQuery(const QueryParameters& query) {
  const ApiResult<std::size_t> max_results = ReadMaxResults(query);
  if (!max_results) return tl::unexpected(max_results.error());
  BucketQuery result{.prefix = query.Value("prefix"), .max_results = *max_results};
  const std::string token = query.Value("pageToken");
  if (token.empty()) return result;
  std::optional<ListPosition> position = DecodePageToken(token);
  if (!position) return tl::unexpected(BadParameter("Invalid page token."));
  result.after = std::move(position->text);
  result.after_generation = position->generation.value_or(0);
  return result;
}

// A bucket that is deleted can only be looked at.
ApiResult<HttpResponse> GetSoftDeleted(const ApiCall& call, const Store& store) {
  const auto generation = Int64Parameter(call.query, "generation");
  if (!generation) return tl::unexpected(generation.error());
  if (!*generation) return tl::unexpected(MissingParameter("generation"));
  const Outcome<BucketInfo> bucket = store.GetSoftDeletedBucket(call.route.bucket, **generation);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  return BucketResponse(call, *bucket);
}

}  // namespace

HttpResponse BucketResponse(const ApiCall& call, const BucketInfo& bucket) {
  JsonWriter json;
  WriteBucket(json, {call.fields, call.base_url, call.shows_acl}, bucket);
  return JsonResponse(json.Take());
}

// One store has the buckets of all projects, so the project makes no difference.
ApiResult<void> BucketEndpoints::RequireProject(const ApiCall& call) const {
  if (call.query.Value("project").empty() && default_project_.empty()) {
    return tl::unexpected(MissingParameter("project"));
  }
  return {};
}

ApiResult<HttpResponse> BucketEndpoints::List(const ApiCall& call) const {
  if (auto known = RequireProject(call); !known) return tl::unexpected(known.error());
  const ApiResult<BucketQuery> query = ReadQuery(call.query);
  if (!query) return tl::unexpected(query.error());
  const ApiResult<bool> is_of_deleted = BoolParameter(call.query, "softDeleted");
  if (!is_of_deleted) return tl::unexpected(is_of_deleted.error());
  // No bucket is ever out of reach here.
  const ApiResult<bool> is_partial = BoolParameter(call.query, "returnPartialSuccess");
  if (!is_partial) return tl::unexpected(is_partial.error());
  const BucketPage page = *is_of_deleted ? store_.ListSoftDeletedBuckets(*query) : store_.ListBuckets(*query);
  call.subject.listed_items = page.buckets.size();
  JsonWriter json;
  json.BeginObject();
  if (call.fields.Includes("kind")) json.Member("kind", "storage#buckets");
  if (call.fields.Includes("items") && !page.buckets.empty()) {
    json.Key("items");
    json.BeginArray();
    const BucketView view = {call.fields.Inside("items"), call.base_url, call.shows_acl};
    for (const BucketInfo& bucket : page.buckets) WriteBucket(json, view, bucket);
    json.EndArray();
  }
  if (call.fields.Includes("nextPageToken") && page.next) {
    const ListPosition last{.text = *page.next, .generation = page.buckets.back().generation};
    json.Member("nextPageToken", EncodePageToken(last));
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

ApiResult<HttpResponse> BucketEndpoints::Insert(const ApiCall& call) const {
  if (auto known = RequireProject(call); !known) return tl::unexpected(known.error());
  const ApiResult<std::string> text = ReceiveText(call.body);
  if (!text) return tl::unexpected(text.error());
  ApiResult<BucketInfo> info = ParseBucketResource(*text, store_.now());
  if (!info) return tl::unexpected(info.error());
  call.subject.bucket = info->name;
  if (auto applied = ApplyPredefinedAcls(call.query, *info); !applied) {
    return tl::unexpected(ToApiError(applied.error()));
  }
  const ApiResult<bool> has_retention = BoolParameter(call.query, "enableObjectRetention");
  if (!has_retention) return tl::unexpected(has_retention.error());
  if (*has_retention) info->settings["objectRetention"] = R"({"mode":"Enabled"})";
  const Outcome<BucketInfo> inserted = store_.InsertBucket(*std::move(info));
  if (!inserted) return tl::unexpected(ToApiError(inserted.error()));
  return BucketResponse(call, *inserted);
}

ApiResult<HttpResponse> BucketEndpoints::Get(const ApiCall& call) const {
  const ApiResult<bool> is_of_deleted = BoolParameter(call.query, "softDeleted");
  if (!is_of_deleted) return tl::unexpected(is_of_deleted.error());
  if (*is_of_deleted) return GetSoftDeleted(call, store_);
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  const BucketInfoPtr info = (*bucket)->info();
  const auto generation = Int64Parameter(call.query, "generation");
  if (!generation) return tl::unexpected(generation.error());
  if (generation->value_or(info->generation) != info->generation) {
    return tl::unexpected(ApiError{404, "notFound", "The specified bucket does not exist."});
  }
  const ApiResult<Preconditions> preconditions = ReadBucketPreconditions(call.query);
  if (!preconditions) return tl::unexpected(preconditions.error());
  if (auto held = CheckPreconditions(*preconditions, *info); !held) return tl::unexpected(ToApiError(held.error()));
  return BucketResponse(call, *info);
}

ApiResult<HttpResponse> BucketEndpoints::Patch(const ApiCall& call) const {
  const ApiResult<std::string> text = ReceiveText(call.body);
  if (!text) return tl::unexpected(text.error());
  return Change(call, ParseBucketPatch(*text));
}

ApiResult<HttpResponse> BucketEndpoints::Update(const ApiCall& call) const {
  const ApiResult<std::string> text = ReceiveText(call.body);
  if (!text) return tl::unexpected(text.error());
  return Change(call, ParseBucketUpdate(*text));
}

ApiResult<HttpResponse> BucketEndpoints::Change(const ApiCall& call, const ApiResult<BucketInfoChange>& change) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  if (!change) return tl::unexpected(change.error());
  const ApiResult<Preconditions> preconditions = ReadBucketPreconditions(call.query);
  if (!preconditions) return tl::unexpected(preconditions.error());
  const auto change_all = [&](BucketInfo& info) -> Outcome<void> {
    if (auto done = (*change)(info); !done) return done;
    return ApplyPredefinedAcls(call.query, info);
  };
  const Outcome<BucketInfoPtr> changed = (*bucket)->ChangeInfo(*preconditions, change_all);
  if (!changed) return tl::unexpected(ToApiError(changed.error()));
  return BucketResponse(call, **changed);
}

ApiResult<HttpResponse> BucketEndpoints::LockRetentionPolicy(const ApiCall& call) const {
  if (call.query.Value("ifMetagenerationMatch").empty()) {
    return tl::unexpected(MissingParameter("ifMetagenerationMatch"));
  }
  return Change(call, [](BucketInfo& info) { return LockRetention(info); });
}

ApiResult<HttpResponse> BucketEndpoints::GetStorageLayout(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  JsonWriter json;
  WriteStorageLayout(json, call.fields, *(*bucket)->info());
  return JsonResponse(json.Take());
}

ApiResult<HttpResponse> BucketEndpoints::ListNone(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  // "storage.anywhereCaches.list" lists storage#anywhereCaches.
  std::string kind(call.route.operation->name);
  kind.replace(0, kind.find('.') + 1, "storage#");
  return EmptyList(call, kind.substr(0, kind.find('.')));
}

ApiResult<HttpResponse> BucketEndpoints::FindNone(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  return tl::unexpected(ApiError{404, "notFound", "The bucket has no " + call.route.item + "."});
}

ApiResult<HttpResponse> BucketEndpoints::Delete(const ApiCall& call) const {
  const ApiResult<Preconditions> preconditions = ReadBucketPreconditions(call.query);
  if (!preconditions) return tl::unexpected(preconditions.error());
  const Outcome<void> deleted = store_.DeleteBucket(call.route.bucket, *preconditions);
  if (!deleted) return tl::unexpected(ToApiError(deleted.error()));
  return HttpResponse{.status = 204};
}

}  // namespace gcsflux::emulator
