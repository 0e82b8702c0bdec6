#include "json_api/copy_endpoints.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/encryption_headers.h"
#include "api/object_access.h"
#include "bodies/receive_body.h"
#include "json/json_writer.h"
#include "json_api/resource_requests.h"
#include "json_api/rewrite_token.h"
#include "store/objects/customer_key.h"
#include "store/objects/names.h"

namespace gcsflux::emulator {
namespace {

constexpr std::int64_t kRewriteUnit = std::int64_t{1} << 20;

// The attributes of a copy: the body's metadata, or the source's if the body has none. The storage class is not copied:
// it is the body's, or that of the destination bucket.
ApiResult<ObjectAttributes> SettleAttributes(const std::string& text, const Object& source, const BucketInfo& bucket) {
  ApiResult<ObjectResource> given = ParseObjectResource(text);
  if (!given) return tl::unexpected(given.error());
  ObjectAttributes none;
  none.storage_class = given->attributes.storage_class;
  const bool has_metadata = given->attributes != none;
  ObjectAttributes attributes = has_metadata ? given->attributes : CopiedAttributes(*source.attributes);
  attributes.storage_class = none.storage_class.empty() ? bucket.storage_class : none.storage_class;
  return attributes;
}

// https://cloud.google.com/storage/docs/json_api/v1/objects/rewrite: 0 if there is no limit.
ApiResult<std::uint64_t> ReadBytesPerCall(const QueryParameters& query) {
  const auto limit = Int64Parameter(query, "maxBytesRewrittenPerCall");
  if (!limit) return tl::unexpected(limit.error());
  if (!*limit) return 0;
  if (**limit < kRewriteUnit || **limit % kRewriteUnit != 0) {
    return tl::unexpected(BadParameter("maxBytesRewrittenPerCall must be a positive multiple of 1 MiB."));
  }
  return static_cast<std::uint64_t>(**limit);
}

// The bytes that earlier calls have rewritten.
ApiResult<std::uint64_t> ReadRewritten(const QueryParameters& query, const RewriteName& rewrite) {
  const std::string token = query.Value("rewriteToken");
  if (token.empty()) return 0;
  const std::optional<std::uint64_t> rewritten = DecodeRewriteToken(rewrite, token);
  if (!rewritten) return tl::unexpected(BadParameter("Invalid rewriteToken: it belongs to another rewrite."));
  return *rewritten;
}

// The progress of a rewrite.
struct Progress {
  RewriteName rewrite = {};
  std::uint64_t rewritten = 0;
  std::uint64_t size = 0;
  ObjectPtr copy = {};  // null until it is done
};

HttpResponse RewriteResponse(const ApiCall& call, const Progress& progress) {
  JsonWriter json;
  const auto member = [&](std::string_view name, const std::string& text) {
    if (call.fields.Includes(name)) json.Member(name, text);
  };
  json.BeginObject();
  member("kind", "storage#rewriteResponse");
  member("totalBytesRewritten", std::to_string(progress.rewritten));
  member("objectSize", std::to_string(progress.size));
  if (call.fields.Includes("done")) {
    json.Key("done");
    json.Boolean(progress.copy != nullptr);
  }
  if (progress.copy == nullptr) {
    member("rewriteToken", EncodeRewriteToken(progress.rewrite, progress.rewritten));
  } else if (call.fields.Includes("resource")) {
    json.Key("resource");
    WriteObject(json, call, call.fields.Inside("resource"), *progress.copy);
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

// Everything that is known before anything is written.
struct CopyEndpoints::Plan {
  ObjectPtr source = {};
  std::shared_ptr<Bucket> bucket = {};  // where to
  NewObject copy = {};
  Preconditions preconditions = {};
  bool is_far = false;  // into another location or class, which makes the service move bytes
};

ApiResult<ObjectPtr> CopyEndpoints::FindSource(const ApiCall& call, const Bucket& bucket) const {
  const auto generation = Int64Parameter(call.query, "sourceGeneration");
  const ApiResult<Preconditions> preconditions = ReadSourcePreconditions(call.query);
  if (!generation) return tl::unexpected(generation.error());
  if (!preconditions) return tl::unexpected(preconditions.error());
  Outcome<ObjectPtr> source = bucket.GetObject({call.route.source_object, *generation, *preconditions});
  if (!source) return tl::unexpected(ToApiError(source.error()));
  const ApiResult<std::string> key = ReadCustomerKey(call.request.headers, kSourceKeyHeaders);
  if (!key) return tl::unexpected(key.error());
  const Outcome<void> checked = CheckCustomerKey(**source, *key);
  if (!checked) return tl::unexpected(ToApiError(checked.error()));
  return *std::move(source);
}

ApiResult<CopyEndpoints::Plan> CopyEndpoints::MakePlan(const ApiCall& call) const {
  const Route& route = call.route;
  const auto generation = Int64Parameter(call.query, "sourceGeneration");
  if (!generation) return tl::unexpected(generation.error());
  const ObjectPlace from_where = {route.source_bucket, route.source_object, *generation};
  if (auto allowed = call.caller.Require(Permission::kObjectsGet, from_where); !allowed) {
    return tl::unexpected(allowed.error());
  }
  if (auto valid = CheckObjectName(route.object); !valid) return tl::unexpected(ToApiError(valid.error()));
  const auto from = store_.FindBucket(route.source_bucket);
  auto to = store_.FindBucket(route.bucket);
  if (!from || !to) return tl::unexpected(ToApiError(!from ? from.error() : to.error()));
  const ApiResult<Preconditions> preconditions = ReadPreconditions(call.query);
  if (!preconditions) return tl::unexpected(preconditions.error());
  ApiResult<ObjectEncryption> encryption =
      ReadEncryption(call.request.headers, call.query.Value("destinationKmsKeyName"));
  if (!encryption) return tl::unexpected(encryption.error());
  const ApiResult<std::string> text = ReceiveText(call.body);
  if (!text) return tl::unexpected(text.error());
  ApiResult<ObjectPtr> source = FindSource(call, **from);
  if (!source) return tl::unexpected(source.error());
  const BucketInfoPtr info = (*to)->info();
  ApiResult<ObjectAttributes> attributes = SettleAttributes(*text, **source, *info);
  if (!attributes) return tl::unexpected(attributes.error());
  auto settled = SettleNewObjectAcl(call.caller, *info, call.query.Value("destinationPredefinedAcl"), *attributes);
  if (!settled) return tl::unexpected(settled.error());

  const bool is_far =
      attributes->storage_class != (*source)->attributes->storage_class || info->location != (*from)->info()->location;
  // "the result is a composite object that has a component count of 1"
  const int components = is_far ? std::min((*source)->component_count, 1) : (*source)->component_count;
  NewObject copy{.name = route.object,
                 .attributes = *std::move(attributes),
                 .body = (*source)->body,
                 .component_count = components,
                 .encryption = *std::move(encryption),
                 .may_replace = call.caller.MayReplace(route.bucket)};
  return Plan{*std::move(source), *std::move(to), std::move(copy), *preconditions, is_far};
}

ApiResult<HttpResponse> CopyEndpoints::Copy(const ApiCall& call) const {
  ApiResult<Plan> plan = MakePlan(call);
  if (!plan) return tl::unexpected(plan.error());
  const Outcome<ObjectPtr> copied = plan->bucket->InsertObject(std::move(plan->copy), plan->preconditions);
  if (!copied) return tl::unexpected(ToApiError(copied.error()));
  call.subject.committed_generation = (*copied)->generation;
  return ObjectResponse(call, **copied);
}

ApiResult<HttpResponse> CopyEndpoints::Move(const ApiCall& call) const {
  const Route& route = call.route;
  if (auto valid = CheckObjectName(route.object); !valid) return tl::unexpected(ToApiError(valid.error()));
  if (route.object == route.source_object) {
    return tl::unexpected(BadRequest("The source and the destination of a move must have different names."));
  }
  const auto bucket = store_.FindBucket(route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  const ApiResult<Preconditions> of_source = ReadSourcePreconditions(call.query);
  const ApiResult<Preconditions> of_destination = ReadPreconditions(call.query);
  if (!of_source) return tl::unexpected(of_source.error());
  if (!of_destination) return tl::unexpected(of_destination.error());
  const Outcome<ObjectPtr> moved =
      (*bucket)->MoveObject({.source = {.name = route.source_object, .preconditions = *of_source},
                             .name = route.object,
                             .preconditions = *of_destination,
                             .may_replace = call.caller.MayReplace(route.bucket)});
  if (!moved) return tl::unexpected(ToApiError(moved.error()));
  call.subject.committed_generation = (*moved)->generation;
  return ObjectResponse(call, **moved);
}

ApiResult<HttpResponse> CopyEndpoints::Rewrite(const ApiCall& call) const {
  const ApiResult<std::uint64_t> limit = ReadBytesPerCall(call.query);
  if (!limit) return tl::unexpected(limit.error());
  ApiResult<Plan> plan = MakePlan(call);
  if (!plan) return tl::unexpected(plan.error());
  const Route& route = call.route;
  Progress progress{.rewrite = {route.source_bucket, route.source_object, plan->source->generation, route.bucket,
                                route.object, *limit},
                    .size = plan->source->body->size()};
  const ApiResult<std::uint64_t> before = ReadRewritten(call.query, progress.rewrite);
  if (!before) return tl::unexpected(before.error());
  const bool is_limited = *limit != 0 && plan->is_far;
  progress.rewritten = is_limited ? std::min(*before + *limit, progress.size) : progress.size;
  if (progress.rewritten == progress.size) {
    Outcome<ObjectPtr> copied = plan->bucket->InsertObject(std::move(plan->copy), plan->preconditions);
    if (!copied) return tl::unexpected(ToApiError(copied.error()));
    progress.copy = *std::move(copied);
    call.subject.committed_generation = progress.copy->generation;
  } else {
    const Outcome<ObjectPtr> live = plan->bucket->GetObject({.name = route.object});
    const auto held = CheckPreconditions(plan->preconditions, live ? live->get() : nullptr);
    if (!held) return tl::unexpected(ToApiError(held.error()));
  }
  return RewriteResponse(call, progress);
}

}  // namespace gcsflux::emulator
