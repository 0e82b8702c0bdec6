#include "server/bucket_endpoints.h"

#include <optional>
#include <string>
#include <utility>

#include "server/json_writer.h"
#include "server/page_token.h"
#include "server/receive_body.h"
#include "server/resource_json.h"
#include "server/resource_requests.h"

namespace gcsflux::emulator {
namespace {

HttpResponse BucketResponse(const ApiCall& call, const BucketInfo& bucket) {
  JsonWriter json;
  WriteBucket(json, call.fields, bucket, call.base_url);
  return JsonResponse(json.Take());
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
  return result;
}

}  // namespace

ApiResult<HttpResponse> BucketEndpoints::List(const ApiCall& call) const {
  const ApiResult<BucketQuery> query = ReadQuery(call.query);
  if (!query) return tl::unexpected(query.error());
  const BucketPage page = store_.ListBuckets(*query);
  JsonWriter json;
  json.BeginObject();
  if (call.fields.Includes("kind")) json.Member("kind", "storage#buckets");
  if (call.fields.Includes("items") && !page.buckets.empty()) {
    json.Key("items");
    json.BeginArray();
    for (const BucketInfo& bucket : page.buckets) {
      WriteBucket(json, call.fields.Inside("items"), bucket, call.base_url);
    }
    json.EndArray();
  }
  if (call.fields.Includes("nextPageToken") && page.next) {
    json.Member("nextPageToken", EncodePageToken(ListPosition{false, *page.next}));
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

ApiResult<HttpResponse> BucketEndpoints::Insert(const ApiCall& call) const {
  const ApiResult<std::string> text = ReceiveText(call.body);
  if (!text) return tl::unexpected(text.error());
  ApiResult<BucketInfo> info = ParseBucketResource(*text);
  if (!info) return tl::unexpected(info.error());
  call.subject.bucket = info->name;
  const Outcome<BucketInfo> inserted = store_.InsertBucket(*std::move(info));
  if (!inserted) return tl::unexpected(ToApiError(inserted.error()));
  return BucketResponse(call, *inserted);
}

ApiResult<HttpResponse> BucketEndpoints::Get(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  return BucketResponse(call, (*bucket)->info());
}

ApiResult<HttpResponse> BucketEndpoints::Delete(const ApiCall& call) const {
  const Outcome<void> deleted = store_.DeleteBucket(call.route.bucket);
  if (!deleted) return tl::unexpected(ToApiError(deleted.error()));
  return HttpResponse{.status = 204};
}

}  // namespace gcsflux::emulator
