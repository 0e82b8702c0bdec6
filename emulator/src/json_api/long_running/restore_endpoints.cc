#include "json_api/long_running/restore_endpoints.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/parse_time.h"
#include "json_api/bucket_endpoints.h"
#include "json_api/long_running/operation_endpoints.h"
#include "json_api/request_json.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;

// The bucket, which must have a soft-delete policy.
ApiResult<std::shared_ptr<Bucket>> FindBucket(const ApiCall& call, const Store& store) {
  auto bucket = store.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  if (HasSoftDelete(*(*bucket)->info())) return *std::move(bucket);
  return tl::unexpected(ApiError{400, "softDeletePolicyRequired",
                                 "The bucket " + call.route.bucket + " does not have soft delete enabled."});
}

// The generation that a restore must name.
ApiResult<std::int64_t> ReadGeneration(const ApiCall& call) {
  const auto generation = Int64Parameter(call.query, "generation");
  if (!generation) return tl::unexpected(generation.error());
  if (!*generation) return tl::unexpected(MissingParameter("generation"));
  return **generation;
}

// Times, of which each may be unset.
struct Between {
  std::optional<Time> after = {};
  std::optional<Time> before = {};

  [[nodiscard]] bool Has(Time time) const { return (!after || time > *after) && (!before || time < *before); }
};

struct BulkRestore {
  std::vector<Glob> globs = {};
  Between soft_deleted = {};
  Between created = {};
  bool allows_overwrite = false;
  bool copies_acl = false;

  [[nodiscard]] bool Selects(const Object& object) const {
    const bool is_named = globs.empty() || std::any_of(globs.begin(), globs.end(),
                                                       [&](const Glob& glob) { return glob.Matches(object.name); });
    return is_named && soft_deleted.Has(object.extras->soft_deletion->deleted) && created.Has(object.time_created);
  }
};

ApiResult<BulkRestore> ReadBulkRestore(const ApiCall& call) {
  static const Json kShape = {{"matchGlobs", {"string"}},          {"allowOverwrite", "boolean"},
                              {"copySourceAcl", "boolean"},        {"softDeletedAfterTime", "string"},
                              {"softDeletedBeforeTime", "string"}, {"createdAfterTime", "string"},
                              {"createdBeforeTime", "string"}};
  const ApiResult<Json> given = ReceiveJsonObject(call.body, kShape);
  if (!given) return tl::unexpected(given.error());
  BulkRestore restore{.allows_overwrite = given->value("allowOverwrite", false),
                      .copies_acl = given->value("copySourceAcl", false)};
  for (const Json& pattern : given->value("matchGlobs", Json::array())) {
    Outcome<Glob> glob = Glob::Parse(pattern.get<std::string>());
    if (!glob) return tl::unexpected(ToApiError(glob.error()));
    restore.globs.push_back(*std::move(glob));
  }
  for (const auto& [name, time] : {std::pair("softDeletedAfterTime", &restore.soft_deleted.after),
                                   std::pair("softDeletedBeforeTime", &restore.soft_deleted.before),
                                   std::pair("createdAfterTime", &restore.created.after),
                                   std::pair("createdBeforeTime", &restore.created.before)}) {
    if (!given->contains(name)) continue;
    *time = ParseRfc3339(given->at(name).get<std::string>());
    if (!*time) return tl::unexpected(InvalidField(name));
  }
  return restore;
}

// The last selected generation of each name.
std::vector<ObjectPtr> Select(Bucket& bucket, const BulkRestore& restore) {
  std::vector<ObjectPtr> selected;
  ListQuery query;
  while (true) {
    const ListPage page = bucket.ListSoftDeleted(query);
    for (const ObjectPtr& object : page.objects) {
      if (!restore.Selects(*object)) continue;
      if (!selected.empty() && selected.back()->name == object->name) selected.pop_back();
      selected.push_back(object);
    }
    if (!page.next) return selected;
    query.after = page.next;
  }
}

}  // namespace

ApiResult<HttpResponse> RestoreEndpoints::RestoreObject(const ApiCall& call) const {
  const auto bucket = FindBucket(call, store_);
  if (!bucket) return tl::unexpected(bucket.error());
  const ApiResult<std::int64_t> generation = ReadGeneration(call);
  const ApiResult<Preconditions> preconditions = ReadPreconditions(call.query);
  const ApiResult<bool> copies_acl = BoolParameter(call.query, "copySourceAcl");
  if (!generation) return tl::unexpected(generation.error());
  if (!preconditions) return tl::unexpected(preconditions.error());
  if (!copies_acl) return tl::unexpected(copies_acl.error());
  const Outcome<ObjectPtr> restored =
      (*bucket)->RestoreObject({.name = call.route.object,
                                .generation = *generation,
                                .preconditions = *preconditions,
                                .copies_acl = *copies_acl,
                                .may_replace = call.caller.MayReplace(call.route.bucket)});
  if (!restored) return tl::unexpected(ToApiError(restored.error()));
  call.subject.committed_generation = (*restored)->generation;
  return ObjectResponse(call, **restored);
}

ApiResult<HttpResponse> RestoreEndpoints::RestoreObjects(const ApiCall& call) const {
  const auto bucket = FindBucket(call, store_);
  if (!bucket) return tl::unexpected(bucket.error());
  const ApiResult<BulkRestore> restore = ReadBulkRestore(call);
  if (!restore) return tl::unexpected(restore.error());
  const Time started = store_.now();
  const bool may_replace = restore->allows_overwrite && call.caller.MayReplace(call.route.bucket);
  for (const ObjectPtr& object : Select(**bucket, *restore)) {
    // Those whose name is taken are skipped.
    const auto restored = (*bucket)->RestoreObject({.name = object->name,
                                                    .generation = object->generation,
                                                    .copies_acl = restore->copies_acl,
                                                    .may_replace = may_replace});
    if (!restored && restored.error().kind == FailureKind::kUnavailable) {
      return tl::unexpected(ToApiError(restored.error()));
    }
  }
  const nlohmann::ordered_json metadata = nlohmann::ordered_json::object();
  const nlohmann::ordered_json response = {{"@type", "type.googleapis.com/google.protobuf.Empty"}};
  return AnswerOperation(call, **bucket, {"bulk-restore-objects", started, metadata, response});
}

ApiResult<HttpResponse> RestoreEndpoints::RestoreBucket(const ApiCall& call) const {
  const ApiResult<std::int64_t> generation = ReadGeneration(call);
  if (!generation) return tl::unexpected(generation.error());
  const Outcome<BucketInfo> restored = store_.RestoreBucket(call.route.bucket, *generation);
  if (!restored) return tl::unexpected(ToApiError(restored.error()));
  return BucketResponse(call, *restored);
}

}  // namespace gcsflux::emulator
