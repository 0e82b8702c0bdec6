#include "identity/permissions.h"

#include <algorithm>
#include <array>

#include "identity/iam_roles.h"

namespace gcsflux::emulator {
namespace {

using enum Permission;

struct Entry {
  Permission permission;
  std::string_view name;
  std::string_view resource;
};

// In the order of the enumeration.
constexpr std::array<Entry, kPermissionCount> kEntries = {{
    {kBucketsCreate, "storage.buckets.create", "project"},
    {kBucketsDelete, "storage.buckets.delete", "bucket"},
    {kBucketsGet, "storage.buckets.get", "bucket"},
    {kBucketsGetIamPolicy, "storage.buckets.getIamPolicy", "bucket"},
    {kBucketsList, "storage.buckets.list", "project"},
    {kBucketsRestore, "storage.buckets.restore", "project"},
    {kBucketsSetIamPolicy, "storage.buckets.setIamPolicy", "bucket"},
    {kBucketsUpdate, "storage.buckets.update", "bucket"},
    {kFoldersCreate, "storage.folders.create", "bucket"},
    {kFoldersDelete, "storage.folders.delete", "bucket"},
    {kFoldersGet, "storage.folders.get", "bucket"},
    {kFoldersList, "storage.folders.list", "bucket"},
    {kFoldersRename, "storage.folders.rename", "bucket"},
    {kHmacKeysCreate, "storage.hmacKeys.create", "project"},
    {kHmacKeysDelete, "storage.hmacKeys.delete", "project"},
    {kHmacKeysGet, "storage.hmacKeys.get", "project"},
    {kHmacKeysList, "storage.hmacKeys.list", "project"},
    {kHmacKeysUpdate, "storage.hmacKeys.update", "project"},
    {kMultipartUploadsAbort, "storage.multipartUploads.abort", "object"},
    {kMultipartUploadsCreate, "storage.multipartUploads.create", "object"},
    {kMultipartUploadsList, "storage.multipartUploads.list", "bucket"},
    {kMultipartUploadsListParts, "storage.multipartUploads.listParts", "object"},
    {kObjectsCreate, "storage.objects.create", "object"},
    {kObjectsDelete, "storage.objects.delete", "object"},
    {kObjectsGet, "storage.objects.get", "object"},
    {kObjectsGetIamPolicy, "storage.objects.getIamPolicy", "object"},
    {kObjectsList, "storage.objects.list", "bucket"},
    {kObjectsOverrideUnlockedRetention, "storage.objects.overrideUnlockedRetention", "object"},
    {kObjectsRestore, "storage.objects.restore", "object"},
    {kObjectsSetIamPolicy, "storage.objects.setIamPolicy", "object"},
    {kObjectsSetRetention, "storage.objects.setRetention", "object"},
    {kObjectsUpdate, "storage.objects.update", "object"},
}};

constexpr bool IsInOrder() {
  for (std::size_t i = 0; i < kEntries.size(); ++i) {
    if (kEntries[i].permission != static_cast<Permission>(i)) return false;
  }
  return true;
}
static_assert(IsInOrder());

const Entry& EntryOf(Permission permission) { return kEntries.at(static_cast<std::size_t>(permission)); }

constexpr PermissionSet kReadOnly = {kBucketsGet, kBucketsList, kFoldersGet, kFoldersList, kObjectsGet, kObjectsList};
// https://cloud.google.com/storage/docs/oauth-scopes: data, but neither the metadata of existing objects nor policies.
constexpr PermissionSet kReadWrite = {
    kBucketsCreate,         kBucketsDelete,          kBucketsGet,           kBucketsList,
    kMultipartUploadsAbort, kMultipartUploadsCreate, kMultipartUploadsList, kMultipartUploadsListParts,
    kObjectsCreate,         kObjectsDelete,          kObjectsGet,           kObjectsList,
    kFoldersCreate,         kFoldersDelete,          kFoldersGet,           kFoldersList,
    kFoldersRename};

struct Scope {
  std::string_view name;
  PermissionSet allowed;
};

constexpr std::array<Scope, 5> kScopes = {{
    {"https://www.googleapis.com/auth/cloud-platform", PermissionSet::All()},
    {"https://www.googleapis.com/auth/cloud-platform.read-only", kReadOnly},
    {"https://www.googleapis.com/auth/devstorage.full_control", PermissionSet::All()},
    {"https://www.googleapis.com/auth/devstorage.read_only", kReadOnly},
    {"https://www.googleapis.com/auth/devstorage.read_write", kReadWrite},
}};

}  // namespace

std::string_view NameOf(Permission permission) { return EntryOf(permission).name; }
std::string_view ResourceOf(Permission permission) { return EntryOf(permission).resource; }

std::optional<Permission> FindPermission(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.permission;
  }
  return std::nullopt;
}

std::optional<Role> FindRole(std::string_view name) {
  if (name == "viewer") return Role::kViewer;
  if (name == "creator") return Role::kCreator;
  if (name == "user") return Role::kUser;
  if (name == "admin") return Role::kAdmin;
  return std::nullopt;
}

// Each is a role of the service.
PermissionSet PermissionsOf(Role role) {
  const auto of = [](std::string_view name) { return PermissionsOfIamRole(name).value(); };
  switch (role) {
    case Role::kViewer: return of("roles/storage.objectViewer");
    case Role::kCreator: return of("roles/storage.objectCreator");
    case Role::kUser: return of("roles/storage.objectUser");
    case Role::kAdmin: return of("roles/storage.admin");
  }
  return {};
}

PermissionSet PermissionsWithin(std::string_view scopes) {
  PermissionSet allowed;
  while (!scopes.empty()) {
    const std::size_t end = std::min(scopes.find(' '), scopes.size());
    for (const Scope& scope : kScopes) {
      if (scope.name == scopes.substr(0, end)) allowed |= scope.allowed;
    }
    scopes.remove_prefix(std::min(end + 1, scopes.size()));
  }
  return allowed;
}

}  // namespace gcsflux::emulator
