#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/access-control/iam-permissions: those for what the emulator serves.
enum class Permission : std::uint8_t {
  kBucketsCreate,
  kBucketsDelete,
  kBucketsGet,
  kBucketsGetIamPolicy,
  kBucketsList,
  kBucketsRestore,
  kBucketsSetIamPolicy,
  kBucketsUpdate,
  kFoldersCreate,
  kFoldersDelete,
  kFoldersGet,
  kFoldersList,
  kFoldersRename,
  kHmacKeysCreate,
  kHmacKeysDelete,
  kHmacKeysGet,
  kHmacKeysList,
  kHmacKeysUpdate,
  kMultipartUploadsAbort,
  kMultipartUploadsCreate,
  kMultipartUploadsList,
  kMultipartUploadsListParts,
  kObjectsCreate,
  kObjectsDelete,
  kObjectsGet,
  kObjectsGetIamPolicy,
  kObjectsList,
  kObjectsOverrideUnlockedRetention,
  kObjectsRestore,
  kObjectsSetIamPolicy,
  kObjectsSetRetention,
  kObjectsUpdate,
};
inline constexpr std::size_t kPermissionCount = 32;

class PermissionSet {
 public:
  constexpr PermissionSet() = default;
  constexpr PermissionSet(std::initializer_list<Permission> permissions) {
    for (const Permission permission : permissions) bits_ |= Bit(permission);
  }
  static constexpr PermissionSet All() {
    PermissionSet all;
    all.bits_ = (std::uint64_t{1} << kPermissionCount) - 1;
    return all;
  }

  [[nodiscard]] constexpr bool Has(Permission permission) const { return (bits_ & Bit(permission)) != 0; }
  [[nodiscard]] constexpr bool HasAll(PermissionSet other) const { return (bits_ | other.bits_) == bits_; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  constexpr PermissionSet& operator|=(PermissionSet other) {
    bits_ |= other.bits_;
    return *this;
  }

 private:
  static constexpr std::uint64_t Bit(Permission permission) {
    return std::uint64_t{1} << static_cast<unsigned>(permission);
  }
  std::uint64_t bits_ = 0;
};

/// "storage.objects.get"
std::string_view NameOf(Permission permission);
std::optional<Permission> FindPermission(std::string_view name);

/// The kind of resource that the permission is checked on, as a refusal names it: "object", "bucket" or "project".
std::string_view ResourceOf(Permission permission);

/// https://cloud.google.com/storage/docs/access-control/iam-roles
enum class Role {
  kViewer,   ///< roles/storage.objectViewer
  kCreator,  ///< roles/storage.objectCreator: may not replace objects.
  kUser,     ///< roles/storage.objectUser
  kAdmin,    ///< roles/storage.admin
};

/// By its name in the configuration: viewer, creator, user or admin.
std::optional<Role> FindRole(std::string_view name);
PermissionSet PermissionsOf(Role role);

/// What a token with these scopes (separated by spaces) may be used for, whatever its principal may do.
PermissionSet PermissionsWithin(std::string_view scopes);

}  // namespace gcsflux::emulator
