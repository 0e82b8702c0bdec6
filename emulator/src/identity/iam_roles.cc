#include "identity/iam_roles.h"

#include <algorithm>
#include <array>

namespace gcsflux::emulator {
namespace {

using enum Permission;

struct IamRole {
  std::string_view name;
  PermissionSet permissions;
};

constexpr PermissionSet Joined(PermissionSet a, PermissionSet b) { return a |= b; }

constexpr PermissionSet kBucketReader = {kBucketsGet, kObjectsList, kMultipartUploadsList};
constexpr PermissionSet kBucketWriter = Joined(kBucketReader, {kObjectsCreate, kObjectsDelete, kMultipartUploadsAbort,
                                                               kMultipartUploadsCreate, kMultipartUploadsListParts});
constexpr PermissionSet kUser = {kFoldersCreate,
                                 kFoldersDelete,
                                 kFoldersGet,
                                 kFoldersList,
                                 kFoldersRename,
                                 kObjectsCreate,
                                 kObjectsDelete,
                                 kObjectsGet,
                                 kObjectsList,
                                 kObjectsRestore,
                                 kObjectsUpdate,
                                 kMultipartUploadsAbort,
                                 kMultipartUploadsCreate,
                                 kMultipartUploadsList,
                                 kMultipartUploadsListParts};

constexpr auto kRoles = std::to_array<IamRole>({
    {"roles/storage.admin", PermissionSet::All()},
    {"roles/storage.bucketViewer", {kBucketsGet, kBucketsList}},
    {"roles/storage.legacyBucketOwner",
     Joined(kBucketWriter, {kBucketsGetIamPolicy, kBucketsSetIamPolicy, kBucketsUpdate})},
    {"roles/storage.legacyBucketReader", kBucketReader},
    {"roles/storage.legacyBucketWriter", kBucketWriter},
    {"roles/storage.legacyObjectOwner",
     {kObjectsGet, kObjectsGetIamPolicy, kObjectsOverrideUnlockedRetention, kObjectsSetIamPolicy, kObjectsSetRetention,
      kObjectsUpdate}},
    {"roles/storage.legacyObjectReader", {kObjectsGet}},
    {"roles/storage.objectAdmin", Joined(kUser, {kObjectsGetIamPolicy, kObjectsOverrideUnlockedRetention,
                                                 kObjectsSetIamPolicy, kObjectsSetRetention})},
    {"roles/storage.objectCreator",
     {kFoldersCreate, kObjectsCreate, kMultipartUploadsAbort, kMultipartUploadsCreate, kMultipartUploadsListParts}},
    {"roles/storage.objectUser", kUser},
    {"roles/storage.objectViewer", {kFoldersGet, kFoldersList, kObjectsGet, kObjectsList}},
});

}  // namespace

std::optional<PermissionSet> PermissionsOfIamRole(std::string_view role) {
  const auto found =
      std::find_if(kRoles.begin(), kRoles.end(), [&](const IamRole& known) { return known.name == role; });
  return found != kRoles.end() ? std::optional(found->permissions) : std::nullopt;
}

}  // namespace gcsflux::emulator
