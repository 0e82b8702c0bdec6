#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/api_error.h"
#include "store/buckets/bucket_info.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

// Access control lists: https://cloud.google.com/storage/docs/access-control/lists

/// One entry: who may do what.
struct AccessControl {
  std::string entity = {};  ///< "user-EMAIL", "allUsers", "project-owners-NUMBER" ...
  std::string role = {};    ///< OWNER, WRITER (of buckets only) or READER.

  friend bool operator==(const AccessControl&, const AccessControl&) = default;
};
using AccessControlList = std::vector<AccessControl>;

/// What a list is for. New objects take over a copy of the bucket's default list.
enum class AclKind { kBucket, kDefaultObject, kObject };

/// The list as the store keeps it, and back.
std::string EncodeAcl(const AccessControlList& acl);
AccessControlList DecodeAcl(std::string_view text);

/// The bucket's list, or its list for new objects. If none was set, it is that of `projectPrivate`.
AccessControlList BucketAcl(const BucketInfo& bucket, AclKind kind);
AccessControlList ObjectAcl(const ObjectAttributes& object);
/// The entity that owns the object: "user-EMAIL", or the project's owners if no credentials were asked for.
std::string OwnerOf(const ObjectAttributes& attributes);

/// The list that `predefinedAcl`, or its like, stands for. `owner` is the object's. 400 if there is no such name.
ApiResult<AccessControlList> PredefinedAcl(std::string_view name, AclKind kind, const std::string& owner);

/// 400 if there can be no such entry.
ApiResult<void> CheckAccessControl(const AccessControl& entry, AclKind kind);

/// The `acl` or the `defaultObjectAcl` of a client's resource. Nothing if it has none. 400 if an entry cannot be.
ApiResult<std::optional<AccessControlList>> ReadAclMember(const nlohmann::json& resource, AclKind kind);

/// Puts the entry in the place of that for its entity, or adds it.
void SetEntry(AccessControlList& acl, const AccessControl& entry);

/// https://cloud.google.com/storage/docs/uniform-bucket-level-access: lists do not count, and cannot be used.
bool HasUniformAccess(const BucketInfo& bucket);
/// https://cloud.google.com/storage/docs/public-access-prevention
bool PreventsPublicAccess(const BucketInfo& bucket);
inline bool IsPublic(std::string_view entity) { return entity == "allUsers" || entity == "allAuthenticatedUsers"; }

/// 400 under uniform access, 412 if the list is public and the bucket prevents that.
ApiResult<void> CheckMayUseAcls(const BucketInfo& bucket);
ApiResult<void> CheckPublicAccess(const BucketInfo& bucket, const AccessControlList& acl);

}  // namespace gcsflux::emulator
