#include "json_api/access/acl_endpoints.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "api/object_etag.h"
#include "json_api/access_control_json.h"
#include "json_api/bucket_json.h"
#include "json_api/masked_json.h"
#include "json_api/request_json.h"

namespace gcsflux::emulator {
namespace {

ApiError NoSuchEntity(const std::string& entity) {
  return {404, "notFound", "The specified entity " + entity + " is not in the access control list."};
}

auto Find(AccessControlList& acl, const std::string& entity) {
  return std::find_if(acl.begin(), acl.end(), [&](const AccessControl& entry) { return entry.entity == entity; });
}

// The entry of the request's body. `entity` is the path's; "" if the body names it.
ApiResult<AccessControl> ReadEntry(const ApiCall& call, AclKind kind, const std::string& entity) {
  const auto given = ReceiveJsonObject(call.body, {{"entity", "string"}, {"role", "string"}});
  if (!given) return tl::unexpected(given.error());
  AccessControl entry = {entity.empty() ? given->value("entity", "") : entity, given->value("role", "")};
  if (auto checked = CheckAccessControl(entry, kind); !checked) return tl::unexpected(checked.error());
  return entry;
}

ApiResult<ObjectSelector> SelectGeneration(const ApiCall& call) {
  const auto generation = Int64Parameter(call.query, "generation");
  if (!generation) return tl::unexpected(generation.error());
  return ObjectSelector{.name = call.route.object, .generation = *generation};
}

}  // namespace

// One state of a list, and of what it belongs to.
struct AclEndpoints::State {
  BucketInfoPtr info = {};
  ObjectPtr object = {};  // null unless the list is an object's
  AccessControlList acl = {};

  [[nodiscard]] AclOwner Owner(const ApiCall& call, AclKind kind) const {
    return {.kind = kind,
            .bucket = info->name,
            .base_url = call.base_url,
            .etag = object != nullptr ? ObjectEtag(*object) : BucketEtag(*info),
            .object = object.get()};
  }
};

ApiResult<std::shared_ptr<Bucket>> AclEndpoints::FindBucket(const ApiCall& call) const {
  auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  if (auto usable = CheckMayUseAcls(*(*bucket)->info()); !usable) return tl::unexpected(usable.error());
  return *std::move(bucket);
}

ApiResult<AclEndpoints::State> AclEndpoints::Read(const ApiCall& call) const {
  const auto bucket = FindBucket(call);
  if (!bucket) return tl::unexpected(bucket.error());
  State state{.info = (*bucket)->info()};
  if (kind_ != AclKind::kObject) {
    const ApiResult<Preconditions> preconditions = ReadPreconditions(call.query);
    if (!preconditions) return tl::unexpected(preconditions.error());
    const auto held = CheckPreconditions(*preconditions, *state.info);
    if (!held) return tl::unexpected(ToApiError(held.error()));
    state.acl = BucketAcl(*state.info, kind_);
    return state;
  }
  const ApiResult<ObjectSelector> selector = SelectGeneration(call);
  if (!selector) return tl::unexpected(selector.error());
  Outcome<ObjectPtr> object = (*bucket)->GetObject(*selector);
  if (!object) return tl::unexpected(ToApiError(object.error()));
  state.object = *std::move(object);
  state.acl = ObjectAcl(*state.object->attributes);
  return state;
}

ApiResult<AclEndpoints::State> AclEndpoints::ChangeOfBucket(Bucket& bucket, const Edit& edit) const {
  State state;
  bool is_edited = false;
  const auto changed = bucket.ChangeInfo({}, [&](BucketInfo& info) -> Outcome<void> {
    state.acl = BucketAcl(info, kind_);
    is_edited = edit(state.acl);
    // Nothing is changed then, not even the metageneration.
    if (!is_edited) return Fail(FailureKind::kNotFound, "");
    info.settings[kind_ == AclKind::kBucket ? "acl" : "defaultObjectAcl"] = EncodeAcl(state.acl);
    return {};
  });
  if (!changed) return tl::unexpected(ToApiError(changed.error()));
  state.info = *changed;
  return state;
}

ApiResult<AclEndpoints::State> AclEndpoints::ChangeOfObject(const ApiCall& call, Bucket& bucket, const Edit& edit) {
  const ApiResult<ObjectSelector> selector = SelectGeneration(call);
  if (!selector) return tl::unexpected(selector.error());
  const Outcome<ObjectPtr> before = bucket.GetObject(*selector);
  if (!before) return tl::unexpected(ToApiError(before.error()));
  State state{.info = bucket.info(), .acl = ObjectAcl(*(*before)->attributes)};
  if (!edit(state.acl)) return tl::unexpected(ApiError{404, "notFound", ""});
  const Outcome<ObjectPtr> changed = bucket.PatchObject(*selector, [&](ObjectAttributes& attributes) {
    state.acl = ObjectAcl(attributes);
    (void)edit(state.acl);
    attributes.settings["acl"] = EncodeAcl(state.acl);
  });
  if (!changed) return tl::unexpected(ToApiError(changed.error()));
  state.object = *changed;
  return state;
}

ApiResult<AclEndpoints::State> AclEndpoints::Change(const ApiCall& call, const Edit& edit) const {
  const auto bucket = FindBucket(call);
  if (!bucket) return tl::unexpected(bucket.error());
  ApiResult<State> changed =
      kind_ == AclKind::kObject ? ChangeOfObject(call, **bucket, edit) : ChangeOfBucket(**bucket, edit);
  if (!changed && changed.error().message.empty()) return tl::unexpected(NoSuchEntity(call.route.item));
  return changed;
}

ApiResult<HttpResponse> AclEndpoints::Show(const ApiCall& call, const State& state, const std::string& entity) const {
  AccessControlList acl = state.acl;
  const auto entry = Find(acl, entity);
  if (entry == acl.end()) return tl::unexpected(NoSuchEntity(entity));
  return MaskedResponse(call, AccessControlResource(state.Owner(call, kind_), *entry));
}

ApiResult<HttpResponse> AclEndpoints::List(const ApiCall& call) const {
  const ApiResult<State> state = Read(call);
  if (!state) return tl::unexpected(state.error());
  const bool is_of_bucket = kind_ == AclKind::kBucket;
  nlohmann::ordered_json list = {
      {"kind", is_of_bucket ? "storage#bucketAccessControls" : "storage#objectAccessControls"}};
  const AclOwner owner = state->Owner(call, kind_);
  for (const AccessControl& entry : state->acl) list["items"].push_back(AccessControlResource(owner, entry));
  return MaskedResponse(call, list);
}

ApiResult<HttpResponse> AclEndpoints::Get(const ApiCall& call) const {
  const ApiResult<State> state = Read(call);
  if (!state) return tl::unexpected(state.error());
  return Show(call, *state, call.route.item);
}

ApiResult<HttpResponse> AclEndpoints::Insert(const ApiCall& call) const {
  const ApiResult<AccessControl> entry = ReadEntry(call, kind_, "");
  if (!entry) return tl::unexpected(entry.error());
  const auto bucket = FindBucket(call);
  if (!bucket) return tl::unexpected(bucket.error());
  if (auto may = CheckPublicAccess(*(*bucket)->info(), {*entry}); !may) return tl::unexpected(may.error());
  const ApiResult<State> state = Change(call, [&](AccessControlList& acl) {
    SetEntry(acl, *entry);
    return true;
  });
  if (!state) return tl::unexpected(state.error());
  return Show(call, *state, entry->entity);
}

ApiResult<HttpResponse> AclEndpoints::Patch(const ApiCall& call) const {
  const ApiResult<AccessControl> entry = ReadEntry(call, kind_, call.route.item);
  if (!entry) return tl::unexpected(entry.error());
  const ApiResult<State> state = Change(call, [&](AccessControlList& acl) {
    const auto found = Find(acl, entry->entity);
    if (found == acl.end()) return false;
    found->role = entry->role;
    return true;
  });
  if (!state) return tl::unexpected(state.error());
  return Show(call, *state, entry->entity);
}

ApiResult<HttpResponse> AclEndpoints::Delete(const ApiCall& call) const {
  const ApiResult<State> state = Change(call, [&](AccessControlList& acl) {
    const auto found = Find(acl, call.route.item);
    if (found == acl.end()) return false;
    acl.erase(found);
    return true;
  });
  if (!state) return tl::unexpected(state.error());
  return HttpResponse{.status = 204};
}

}  // namespace gcsflux::emulator
