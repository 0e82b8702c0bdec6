#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/bytes/body.h"
#include "store/bytes/md5.h"
#include "store/log/change_log.h"
#include "store/log/record.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

template <class Archive, Of<ObjectAttributes> Attributes>
void Describe(Archive& archive, Attributes& attributes) {
  archive(attributes.content_type, attributes.content_encoding, attributes.content_disposition,
          attributes.content_language, attributes.cache_control, attributes.custom_time, attributes.storage_class,
          attributes.metadata, attributes.event_based_hold, attributes.temporary_hold, attributes.settings);
}

template <class Archive, Of<ObjectEncryption> Encryption>
void Describe(Archive& archive, Encryption& encryption) {
  archive(encryption.customer_key_sha256, encryption.kms_key_name);
}

template <class Archive, Of<SoftDeletion> Deletion>
void Describe(Archive& archive, Deletion& deletion) {
  archive(deletion.deleted, deletion.hard_delete);
}

template <class Archive, Of<ObjectExtras> Extras>
void Describe(Archive& archive, Extras& extras) {
  archive(extras.encryption, extras.time_deleted, extras.soft_deletion, extras.storage_class_updated);
}

/// The checksums of a body whose bytes are elsewhere.
struct BodySums {
  std::uint32_t crc32c = 0;
  std::optional<Md5Digest> md5 = {};
};

template <class Archive, Of<BodySums> Sums>
void Describe(Archive& archive, Sums& sums) {
  archive(sums.crc32c, sums.md5);
}

[[nodiscard]] BodySums SumsOf(const Body& body);
/// The body of an earlier process: its bytes are checked before they are shown.
[[nodiscard]] BodyPtr EarlierBody(Rope bytes, const BodySums& sums);

/// Which bucket's object, and which generation of it.
[[nodiscard]] std::string ObjectKey(std::uint64_t bucket, const Object& object);
/// The object's bytes must be in files.
[[nodiscard]] Record WriteObject(std::uint64_t bucket, const Object& object, bool is_live);

/// An object as it was recorded, without its bytes.
struct RecordedObject {
  std::uint64_t bucket = 0;
  bool is_live = true;
  std::shared_ptr<Object> object = {};
  BodySums sums = {};
};

/// Reads objects. Those that are read one after the other share their attributes if these are the same. One thread.
class ObjectReader {
 public:
  /// Throws BadRecord.
  [[nodiscard]] RecordedObject Read(std::string_view key, std::string_view fields);

 private:
  std::string last_text_;
  std::shared_ptr<const ObjectAttributes> last_attributes_;
};

}  // namespace gcsflux::emulator
