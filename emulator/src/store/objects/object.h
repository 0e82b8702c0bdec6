#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time_source.h"
#include "store/bytes/body.h"

namespace gcsflux::emulator {

/// What a user sets on an object beside its bytes. Empty is absent.
struct ObjectAttributes {
  std::string content_type = {};
  std::string content_encoding = {};
  std::string content_disposition = {};
  std::string content_language = {};
  std::string cache_control = {};
  std::string custom_time = {};
  std::string storage_class = {};                    ///< Never empty in a stored object: it takes the bucket's.
  std::map<std::string, std::string> metadata = {};  ///< The user's own keys and values.
  std::optional<bool> event_based_hold = {};         ///< Shown if it was ever set.
  std::optional<bool> temporary_hold = {};           ///< Likewise.
  /// What few objects have, as JSON by its name in the JSON API: acl, contexts, owner, retention.
  std::map<std::string, std::string> settings = {};

  friend bool operator==(const ObjectAttributes&, const ObjectAttributes&) = default;
};

/// The attributes that a copy takes over if nothing else is said. Holds, retention and access stay with the original
/// object.
[[nodiscard]] inline ObjectAttributes CopiedAttributes(ObjectAttributes attributes) {
  attributes.event_based_hold = attributes.temporary_hold = std::nullopt;
  std::erase_if(attributes.settings, [](const auto& setting) { return setting.first != "contexts"; });
  return attributes;
}

/// The key that an object is stored under, if it is not the service's own. The bytes are kept as they arrived; readers
/// must only show the customer's key.
struct ObjectEncryption {
  std::string customer_key_sha256 = {};  ///< In base64. The key itself is not kept.
  std::string kms_key_name = {};

  friend bool operator==(const ObjectEncryption&, const ObjectEncryption&) = default;
};

/// When an object or a bucket was deleted that can still be restored, and until when that is so.
struct SoftDeletion {
  Time deleted = {};
  Time hard_delete = {};
};

/// What few objects have. It is kept apart, so that the many others take no memory for it.
struct ObjectExtras {
  ObjectEncryption encryption = {};
  std::optional<Time> time_deleted = {};           ///< When a noncurrent generation was replaced or deleted.
  std::optional<SoftDeletion> soft_deletion = {};  ///< Set if the generation is soft-deleted.
  std::optional<Time> storage_class_updated =
      {};  ///< When its storage class changed, if that was later than its making.
};

/// One state of one generation of an object. A change of metadata makes another one. Never changes once stored.
struct Object {
  std::string name = {};
  std::int64_t generation = 0;
  std::int64_t metageneration = 1;
  Time time_created = {};
  Time updated = {};
  int component_count = 0;    ///< For a composed object, which has no MD5; else 0.
  bool is_immutable = false;  ///< Computed, not stored: it cannot be replaced, changed or deleted.
  std::shared_ptr<const ObjectAttributes> attributes = {};
  BodyPtr body = {};
  std::shared_ptr<const ObjectExtras> extras = {};  ///< Null if there are none.
};

using ObjectPtr = std::shared_ptr<const Object>;

/// https://cloud.google.com/storage/quotas#objects: no object is larger, however it is made.
inline constexpr std::uint64_t kMaxObjectSize = std::uint64_t{5} << 40;

/// Composed and computed objects have none.
[[nodiscard]] inline bool HasMd5(const Object& object) {
  return object.component_count == 0 && !object.body->is_computed();
}

/// A copy of what few objects have, to be changed.
[[nodiscard]] inline std::shared_ptr<ObjectExtras> CopyExtras(const Object& object) {
  return object.extras != nullptr ? std::make_shared<ObjectExtras>(*object.extras) : std::make_shared<ObjectExtras>();
}

[[nodiscard]] inline bool IsSoftDeleted(const Object& object) {
  return object.extras != nullptr && object.extras->soft_deletion.has_value();
}

/// In base64; empty if the object is under no customer-supplied key.
[[nodiscard]] inline std::string_view CustomerKeySha256(const Object& object) {
  return object.extras != nullptr ? std::string_view(object.extras->encryption.customer_key_sha256) : "";
}

}  // namespace gcsflux::emulator
