#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "base/time_source.h"
#include "store/buckets/bucket_info.h"
#include "store/buckets/bucket_records.h"
#include "store/buckets/multipart_uploads.h"
#include "store/buckets/preconditions.h"
#include "store/listing/listing.h"
#include "store/log/change_log.h"
#include "store/log/name_locks.h"
#include "store/objects/object.h"
#include "store/objects/soft_deleted_set.h"

namespace gcsflux::emulator {

/// Which generation of which object, and the conditions that it must meet.
struct ObjectSelector {
  std::string name = {};
  std::optional<std::int64_t> generation =
      {};  ///< If unset, the live one; else that generation, which may be noncurrent.
  Preconditions preconditions = {};
};

/// A new generation of an object, before it is stored.
struct NewObject {
  std::string name = {};
  ObjectAttributes attributes = {};
  BodyPtr body = {};
  int component_count = 0;
  ObjectEncryption encryption = {};
  bool may_replace =
      true;  ///< If false, and the name is taken when the object is stored, storing fails with kReplaceDenied.
  std::function<Change(const Object&)> also =
      {};  ///< What is recorded together with the object, if there is a log: the end of the upload that made it.
};

/// Joins the sources, in their order, into a new generation of `destination`, whose own body is ignored. The sources
/// must be under its customer-supplied key, or under none if it has none, and must all have one storage class.
struct ComposeRequest {
  std::vector<ObjectSelector> sources = {};
  NewObject destination = {};
  Preconditions preconditions = {};
  bool delete_sources = false;  ///< Deletes the generations that were joined, and no later ones.
};

/// Renames the live generation of an object: makes a new generation with the same bytes and description.
struct MoveRequest {
  ObjectSelector source = {};
  std::string name = {};
  Preconditions preconditions = {};  ///< Conditions on the live object under the new name.
  bool may_replace = true;           ///< See NewObject.
};

/// Which soft-deleted generation becomes live again, as a new generation with the same bytes and description.
struct RestoreRequest {
  std::string name = {};
  std::int64_t generation = 0;
  Preconditions preconditions = {};  ///< Conditions on the live object of that name.
  bool copies_acl = false;           ///< Else the new one has the bucket's default access control list.
  bool may_replace = true;           ///< See NewObject.
};

/// What becomes of a generation that is deleted, if it does not stay as a noncurrent one.
enum class Deletion {
  kByPolicy,  ///< It is soft-deleted if the bucket's policy says so.
  kForGood,
};

/// A folder of a hierarchical namespace: its name, which ends with '/', and conditions on its metageneration.
struct FolderSelector {
  std::string name = {};
  Preconditions preconditions = {};
};

struct FolderQuery {
  std::string prefix = {};
  std::string start_offset = {};  ///< Inclusive.
  std::string end_offset = {};    ///< Exclusive; empty is no bound.
  bool is_flat = true;            ///< Else only the folders directly within `prefix`, not those within these.
  std::size_t max_results = 1000;
  std::optional<std::string> after = {};
};

/// Changes attributes; may be called more than once.
using AttributesChange = std::function<void(ObjectAttributes&)>;

/// The state of a bucket at one moment.
struct BucketSnapshot {
  BucketInfoPtr info = {};
  std::shared_ptr<const ObjectSource> computed = {};
  std::vector<ObjectPtr> live = {};  ///< In the order of their names.
  std::vector<ObjectPtr> noncurrent = {};
  std::vector<ObjectPtr> soft_deleted = {};
  std::vector<ObjectPtr> folders = {};
  std::vector<UploadSnapshot> uploads = {};
};

/// What a bucket stores, without computed objects. Noncurrent and soft-deleted generations count too.
struct BucketUsage {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};

/// The objects of one bucket. Every operation is atomic, except lists by a glob. What it returns never changes
/// afterwards. Thread-safe.
///
/// Nothing is hashed, copied, matched or freed under the lock, however large the bodies are. With a log, a change holds
/// the names that it changes until it is written. Readers see what they saw before until then.
class Bucket {
 public:
  /// `computed` may be null. It holds objects that exist beside the stored ones and never change.
  Bucket(BucketInfo info, TimeSource clock, std::shared_ptr<const ObjectSource> computed = nullptr,
         const BucketLog& log = {});

  /// As it stands.
  [[nodiscard]] BucketInfoPtr info() const;
  /// The new state: the metageneration is one higher.
  Outcome<BucketInfoPtr> ChangeInfo(const Preconditions& preconditions, const BucketInfoChange& change);
  /// For a change of what the bucket's own resource does not show: its metageneration stays.
  Outcome<BucketInfoPtr> ChangeSubResources(const BucketInfoChange& change);
  [[nodiscard]] MultipartUploads& uploads() { return uploads_; }
  [[nodiscard]] const BucketLog& log() const { return log_; }

  Outcome<ObjectPtr> InsertObject(NewObject object, const Preconditions& preconditions);
  /// Whether InsertObject() would refuse an object of that name now, whatever its bytes.
  [[nodiscard]] Outcome<void> CheckInsert(std::string_view name, const Preconditions& preconditions,
                                          bool may_replace) const;
  [[nodiscard]] Outcome<ObjectPtr> GetObject(const ObjectSelector& selector) const;
  /// Without `overrides_retention`, an object's unlocked retention can only be extended.
  Outcome<ObjectPtr> PatchObject(const ObjectSelector& selector, const AttributesChange& change,
                                 bool overrides_retention = false);
  /// Without a generation, deletes the live one. It stays as a noncurrent one if the bucket is versioned.
  Outcome<void> DeleteObject(const ObjectSelector& selector, Deletion deletion = Deletion::kByPolicy);
  /// The soft-deleted generation stays, and can be restored again.
  Outcome<ObjectPtr> RestoreObject(const RestoreRequest& request);
  Outcome<ObjectPtr> GetSoftDeleted(std::string_view name, std::int64_t generation);
  /// Lists all soft-deleted generations, each of its own.
  [[nodiscard]] ListPage ListSoftDeleted(ListQuery query);
  // Folders: https://cloud.google.com/storage/docs/folders-overview. They are objects without a body and a generation.
  // Objects that are written make the folders of their names. kInvalid without a hierarchical namespace.
  Outcome<ObjectPtr> InsertFolder(const std::string& name, bool makes_parents);
  [[nodiscard]] Outcome<ObjectPtr> GetFolder(const FolderSelector& selector) const;
  [[nodiscard]] ListPage ListFolders(const FolderQuery& query) const;
  /// kConflict if it is not empty.
  Outcome<void> DeleteFolder(const FolderSelector& selector);
  /// With all that is in it.
  Outcome<void> DeleteFolderTree(const FolderSelector& selector);
  /// With all that is in it, in one step. Objects keep their generations. kInvalid if it would be within itself,
  /// kConflict if the name is taken, kNotFound if its parent does not exist.
  Outcome<ObjectPtr> RenameFolder(const FolderSelector& selector, const std::string& to);
  /// Removes the soft-deleted generations whose time has passed.
  void DropExpired();
  Outcome<ObjectPtr> ComposeObject(ComposeRequest request);
  /// In a versioned bucket the source stays as a noncurrent generation. It is not soft-deleted.
  Outcome<ObjectPtr> MoveObject(const MoveRequest& request);
  [[nodiscard]] ListPage List(const ListQuery& query) const;
  [[nodiscard]] BucketUsage usage() const;

  /// Succeeds if the bucket is empty and meets the conditions. From then on every write fails with kNotFound. With a
  /// soft-delete policy, info() then says since when it is deleted, and its soft-deleted generations stay.
  Outcome<void> Close(const Preconditions& preconditions = {}, Time now = {});

  /// With a log: checks what Close() checks, records what it does, and holds all names, so that Close() then succeeds.
  /// Without one it does nothing.
  Outcome<NameLocks::Hold> PrepareClose(const Preconditions& preconditions, Time now);

  /// Adds an object that is recorded already. In the order of names it costs least.
  void Adopt(ObjectPtr object, bool is_live);
  void AdoptFolder(const ObjectPtr& folder);
  [[nodiscard]] BucketSnapshot Capture() const;

 private:
  // A generation that is deleted or replaced, and what becomes of it: its noncurrent or soft-deleted state, or null if
  // it is gone for good.
  struct Retired {
    ObjectPtr before = {};
    ObjectPtr kept = {};
  };

  [[nodiscard]] NameLocks::Hold HoldNames(std::initializer_list<std::string_view> names);
  [[nodiscard]] NameLocks::Hold HoldAll();
  template <class MakeChange>
  Outcome<void> CommitUnlocked(std::unique_lock<std::shared_mutex>& lock, const MakeChange& make_change) const;
  [[nodiscard]] RecordChange RecordOf(const Retired& retired) const;
  [[nodiscard]] Outcome<void> CheckClosableLocked(const Preconditions& preconditions) const;
  [[nodiscard]] BucketInfoPtr SoftDeletedInfoLocked(Time now) const;
  Outcome<BucketInfoPtr> ReplaceInfo(const Preconditions& preconditions, const BucketInfoChange& change);
  [[nodiscard]] Outcome<void> CheckMayDeleteLocked(const Object& object) const;
  [[nodiscard]] std::vector<ObjectPtr> MissingFoldersLocked(std::string_view name, Time now) const;
  [[nodiscard]] ObjectPtr FindFolderLocked(std::string_view name) const;
  [[nodiscard]] Outcome<ObjectPtr> SelectFolderLocked(const FolderSelector& selector) const;
  [[nodiscard]] std::vector<ObjectPtr> ObjectsWithinLocked(std::string_view folder) const;
  [[nodiscard]] std::vector<ObjectPtr> FoldersWithinLocked(std::string_view folder) const;
  [[nodiscard]] ObjectPtr FindLocked(std::string_view name) const;
  [[nodiscard]] ObjectPtr FindGenerationLocked(std::string_view name, std::int64_t generation) const;
  [[nodiscard]] Outcome<std::vector<ObjectPtr>> SelectAll(const std::vector<ObjectSelector>& selectors) const;
  [[nodiscard]] Outcome<ObjectPtr> SelectLocked(const ObjectSelector& selector) const;
  std::int64_t NextGenerationLocked(Time now);
  Outcome<void> CheckPlaceLocked(const Object* live, const Preconditions& preconditions, bool may_replace) const;
  [[nodiscard]] Retired RetireLocked(ObjectPtr live, Time now) const;
  void StoreLocked(const Retired& replaced, ObjectPtr object);
  void ChangeLocked(const ObjectPtr& current, ObjectPtr changed);
  void KeepLocked(const ObjectPtr& kept);
  void EraseLocked(const ObjectPtr& object);

  const TimeSource clock_;
  const std::shared_ptr<const ObjectSource> computed_;
  const BucketLog log_;
  const bool has_folders_;
  NameLocks names_;  // held before mutex_ is locked; not used without a log
  MultipartUploads uploads_;

  mutable std::shared_mutex mutex_;  // guards what follows
  BucketInfoPtr info_;               // never null
  ObjectSet objects_;                // the live ones
  GenerationSet noncurrent_;
  SoftDeletedSet soft_deleted_;
  GenerationSet folders_;
  std::uint64_t stored_bytes_ = 0;                           // of all of them
  std::shared_ptr<const ObjectAttributes> last_attributes_;  // of the newest generation; null at first
  std::int64_t last_generation_ = 0;
  bool is_closed_ = false;
};

}  // namespace gcsflux::emulator
