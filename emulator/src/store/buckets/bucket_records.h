#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/failure.h"
#include "base/time_source.h"
#include "store/buckets/bucket_info.h"
#include "store/log/change_log.h"
#include "store/log/record.h"
#include "store/objects/object.h"
#include "store/objects/object_record.h"

namespace gcsflux::emulator {

template <class Archive, Of<SoftDeletePolicy> Policy>
void Describe(Archive& archive, Policy& policy) {
  archive(policy.retention, policy.effective);
}

template <class Archive, Of<BucketInfo> Info>
void Describe(Archive& archive, Info& info) {
  archive(info.name, info.location, info.storage_class, info.metageneration, info.time_created, info.updated,
          info.is_versioned, info.soft_delete, info.settings, info.sub_resources, info.generation, info.soft_deletion);
}

/// A folder of a hierarchical namespace. Its key is that of its bucket and its name.
struct FolderRecord {
  std::int64_t metageneration = 1;
  Time time_created = {};
  Time updated = {};
};

template <class Archive, Of<FolderRecord> Folder>
void Describe(Archive& archive, Folder& folder) {
  archive(folder.metageneration, folder.time_created, folder.updated);
}

/// In memory a folder is an object without a body, so that listings merge both.
[[nodiscard]] inline ObjectPtr FolderOf(std::string name, const FolderRecord& record) {
  return std::make_shared<const Object>(Object{.name = std::move(name),
                                               .metageneration = record.metageneration,
                                               .time_created = record.time_created,
                                               .updated = record.updated});
}

/// A multipart upload, without its parts.
struct UploadRecord {
  std::string object = {};
  std::string id = {};
  Time initiated = {};
  ObjectAttributes attributes = {};
  ObjectEncryption encryption = {};
};

template <class Archive, Of<UploadRecord> Upload>
void Describe(Archive& archive, Upload& upload) {
  archive(upload.object, upload.id, upload.initiated, upload.attributes, upload.encryption);
}

/// A part of a multipart upload.
struct UploadPart {
  int number = 0;
  Time uploaded = {};
  BodyPtr body = {};
};

/// A part, without its bytes. Its key is that of its upload and its number.
struct PartRecord {
  int number = 0;
  Time uploaded = {};
  BodySums sums = {};
};

template <class Archive, Of<PartRecord> Part>
void Describe(Archive& archive, Part& part) {
  archive(part.number, part.uploaded, part.sums);
}

/// Erases all buckets, with all that is in them.
[[nodiscard]] inline Change EraseBuckets() {
  Change change;
  for (const RecordKind kind :
       {RecordKind::kBucket, RecordKind::kObject, RecordKind::kFolder, RecordKind::kUpload, RecordKind::kUploadPart}) {
    change.push_back(ErasePrefix(kind, ""));
  }
  return change;
}

/// The records of one bucket. Without a log it keeps none: all of it does nothing and succeeds.
struct BucketLog {
  ChangeLog* log = nullptr;  ///< Must outlive the bucket.
  std::uint64_t number = 0;  ///< The bucket's own number: a later bucket of the same name has another one.

  [[nodiscard]] explicit operator bool() const { return log != nullptr; }
  [[nodiscard]] std::string prefix() const { return KeyNumber(number); }

  [[nodiscard]] RecordChange Put(const BucketInfo& info) const {
    return PutRecord(RecordKind::kBucket, {.key = prefix(), .fields = WriteRecord(info)});
  }
  [[nodiscard]] RecordChange Put(const Object& object, bool is_live) const {
    return PutRecord(RecordKind::kObject, WriteObject(number, object, is_live));
  }
  [[nodiscard]] RecordChange Erase(const Object& object) const {
    return EraseRecord(RecordKind::kObject, ObjectKey(number, object));
  }
  [[nodiscard]] RecordChange PutFolder(const Object& folder) const {
    const FolderRecord record{folder.metageneration, folder.time_created, folder.updated};
    return PutRecord(RecordKind::kFolder, {.key = prefix() + folder.name, .fields = WriteRecord(record)});
  }
  [[nodiscard]] RecordChange EraseFolder(const Object& folder) const {
    return EraseRecord(RecordKind::kFolder, prefix() + folder.name);
  }
  [[nodiscard]] RecordChange Put(const UploadRecord& upload) const {
    return PutRecord(RecordKind::kUpload, {.key = UploadKey(upload.id), .fields = WriteRecord(upload)});
  }
  /// A part of the upload with this id.
  [[nodiscard]] RecordChange Put(const std::string& id, const UploadPart& part) const {
    const PartRecord record{.number = part.number, .uploaded = part.uploaded, .sums = SumsOf(*part.body)};
    return PutRecord(RecordKind::kUploadPart,
                     {.key = UploadKey(id) + KeyNumber(static_cast<std::uint64_t>(part.number)),
                      .fields = WriteRecord(record),
                      .bytes = part.body->bytes()});
  }
  [[nodiscard]] std::string UploadKey(const std::string& id) const { return prefix() + id; }
  [[nodiscard]] Change EraseUpload(const std::string& id) const {
    return {EraseRecord(RecordKind::kUpload, UploadKey(id)), ErasePrefix(RecordKind::kUploadPart, UploadKey(id))};
  }
  [[nodiscard]] Change EraseUploads() const {
    return {ErasePrefix(RecordKind::kUpload, prefix()), ErasePrefix(RecordKind::kUploadPart, prefix())};
  }
  /// With all that is in it.
  [[nodiscard]] Change EraseBucket() const {
    Change change = EraseUploads();
    change.push_back(EraseRecord(RecordKind::kBucket, prefix()));
    change.push_back(ErasePrefix(RecordKind::kObject, prefix()));
    change.push_back(ErasePrefix(RecordKind::kFolder, prefix()));
    return change;
  }
};

}  // namespace gcsflux::emulator
