#include "json_api/long_running/operation_endpoints.h"

#include <nlohmann/json.hpp>
#include <string>

#include "api/page_token.h"
#include "base/time_format.h"
#include "json_api/masked_json.h"

namespace gcsflux::emulator {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr auto kName = "operations";
constexpr std::size_t kMostKept = 100;

// The bucket's operations: the number of the last one, and those that are kept, the oldest first.
OrderedJson ReadOperations(const BucketInfo& info) {
  const auto found = info.sub_resources.find(kName);
  if (found == info.sub_resources.end()) return {{"last", 0}, {"items", OrderedJson::array()}};
  return OrderedJson::parse(found->second);
}

OrderedJson Resource(const ApiCall& call, const OrderedJson& kept) {
  const auto id = kept.at("id").get<std::string>();
  const std::string path = "/buckets/" + call.route.bucket + "/operations/" + id;
  return {{"kind", "storage#operation"},
          {"name", "projects/_" + path},
          {"selfLink", call.base_url + "/storage/v1/b/" + call.route.bucket + "/operations/" + id},
          {"metadata", kept.at("metadata")},
          {"done", true},
          {"response", kept.at("response")}};
}

ApiResult<OrderedJson> FindOperation(const ApiCall& call, const Store& store) {
  const auto bucket = store.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  const OrderedJson operations = ReadOperations(*(*bucket)->info());
  for (const OrderedJson& kept : operations.at("items")) {
    if (kept.at("id") == call.route.item) return Resource(call, kept);
  }
  return tl::unexpected(ApiError{404, "notFound", "The bucket has no operation " + call.route.item + "."});
}

}  // namespace

ApiResult<HttpResponse> AnswerOperation(const ApiCall& call, Bucket& bucket, const FinishedOperation& operation) {
  OrderedJson kept = {{"metadata", operation.metadata}, {"response", operation.response}};
  const auto changed = bucket.ChangeSubResources([&](BucketInfo& info) -> Outcome<void> {
    OrderedJson operations = ReadOperations(info);
    const std::int64_t number = operations["last"].get<std::int64_t>() + 1;
    operations["last"] = number;
    kept["id"] = std::to_string(number);
    const std::string started = FormatRfc3339(operation.started);
    kept["metadata"]["commonMetadata"] = {{"createTime", started},          {"endTime", started},
                                          {"updateTime", started},          {"type", operation.type},
                                          {"requestedCancellation", false}, {"progressPercent", 100}};
    OrderedJson& items = operations["items"];
    items.push_back(kept);
    if (items.size() > kMostKept) items.erase(0);
    info.sub_resources[kName] = operations.dump();
    return {};
  });
  if (!changed) return tl::unexpected(ToApiError(changed.error()));
  return MaskedResponse(call, Resource(call, kept));
}

ApiResult<HttpResponse> OperationEndpoints::List(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  const auto size = Int64Parameter(call.query, "pageSize");
  if (!size) return tl::unexpected(size.error());
  const std::string token = call.query.Value("pageToken");
  // All of them fit on one page, so there is no further one.
  if (!token.empty() && !DecodePageToken(token)) return tl::unexpected(BadParameter("Invalid page token."));
  OrderedJson list = {{"kind", "storage#operations"}};
  const OrderedJson operations = ReadOperations(*(*bucket)->info());
  for (const OrderedJson& kept : operations.at("items")) list["operations"].push_back(Resource(call, kept));
  return MaskedResponse(call, list);
}

ApiResult<HttpResponse> OperationEndpoints::Get(const ApiCall& call) const {
  const ApiResult<OrderedJson> operation = FindOperation(call, store_);
  if (!operation) return tl::unexpected(operation.error());
  return MaskedResponse(call, *operation);
}

ApiResult<HttpResponse> OperationEndpoints::Cancel(const ApiCall& call) const {
  const ApiResult<OrderedJson> operation = FindOperation(call, store_);
  if (!operation) return tl::unexpected(operation.error());
  return HttpResponse{.status = 204};
}

}  // namespace gcsflux::emulator
