#include "store/buckets/bucket.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "store/buckets/bucket_commit.h"
#include "store/buckets/retention.h"
#include "store/listing/glob_listing.h"
#include "store/objects/attribute_rules.h"
#include "store/objects/customer_key.h"

namespace gcsflux::emulator {
namespace {

// GCS refuses changes of objects under a retention policy in these words.
Outcome<void> CheckMutable(const Object* live) {
  if (live == nullptr || !live->is_immutable) return {};
  return Fail(FailureKind::kImmutable, "Object '" + live->name +
                                           "' is part of a virtual bucket: it is subject to retention for good and "
                                           "cannot be deleted, overwritten or changed.");
}

Outcome<void> CheckUnheld(const ObjectAttributes& attributes, const std::string& bucket, const std::string& name) {
  const bool is_event_based = attributes.event_based_hold.value_or(false);
  if (!is_event_based && !attributes.temporary_hold.value_or(false)) return {};
  return Fail(FailureKind::kHeld, "Object '" + bucket + "/" + name + "' is under active " +
                                      (is_event_based ? "Event-Based" : "Temporary") +
                                      " hold and cannot be deleted, overwritten or archived until hold is removed.");
}

// Whether the present object, if any, may be replaced or deleted.
Outcome<void> CheckReplaceable(const Object* live, const BucketInfo& bucket, const TimeSource& clock) {
  if (auto allowed = CheckMutable(live); !allowed || live == nullptr) return allowed;
  if (auto allowed = CheckUnheld(*live->attributes, bucket.name, live->name); !allowed) return allowed;
  if (live->attributes->settings.empty() && bucket.settings.empty()) return {};  // as most are
  return CheckRetention(*live, bucket, clock());
}

// A composite of composites of empty objects has no bytes, and any number of components. The API's number has 32 bits.
constexpr int kMostComponents = INT32_MAX;

bool HoldsNewObjects(const BucketInfo& bucket) {
  const auto found = bucket.settings.find("defaultEventBasedHold");
  return found != bucket.settings.end() && found->second == "true";
}

std::string DefaultKmsKeyName(const BucketInfo& bucket) {
  const auto found = bucket.settings.find("encryption");
  if (found == bucket.settings.end()) return "";
  return nlohmann::json::parse(found->second).value("defaultKmsKeyName", "");
}

// What a new object takes over from its bucket.
void ApplyDefaults(const BucketInfo& bucket, NewObject& object) {
  ObjectAttributes& attributes = object.attributes;
  if (attributes.storage_class.empty()) attributes.storage_class = bucket.storage_class;
  if (bucket.settings.empty()) return;  // as most have
  if (!attributes.event_based_hold && HoldsNewObjects(bucket)) attributes.event_based_hold = true;
  if (object.encryption == ObjectEncryption()) object.encryption.kms_key_name = DefaultKmsKeyName(bucket);
  const auto acl = bucket.settings.find("defaultObjectAcl");
  if (acl != bucket.settings.end()) attributes.settings.emplace("acl", acl->second);
}

ObjectPtr WithExtras(const Object& object, std::shared_ptr<const ObjectExtras> extras) {
  auto changed = std::make_shared<Object>(object);
  changed->extras = std::move(extras);
  return changed;
}

ObjectPtr Noncurrent(const Object& live, Time now) {
  auto extras = CopyExtras(live);
  extras->time_deleted = now;
  return WithExtras(live, std::move(extras));
}

// Null if the bucket has no soft-delete policy.
ObjectPtr SoftDeleted(const Object& object, const BucketInfo& bucket, Time now) {
  if (!HasSoftDelete(bucket)) return nullptr;
  auto extras = CopyExtras(object);
  extras->soft_deletion = SoftDeletion{now, now + bucket.soft_delete->retention};
  return WithExtras(object, std::move(extras));
}

}  // namespace

Bucket::Bucket(BucketInfo info, TimeSource clock, std::shared_ptr<const ObjectSource> computed, const BucketLog& log)
    : clock_(std::move(clock)),
      computed_(std::move(computed)),
      log_(log),
      has_folders_(HasHierarchicalNamespace(info)),
      uploads_(clock_, std::random_device()(), log_),
      info_(std::make_shared<const BucketInfo>(std::move(info))),
      is_closed_(info_->soft_deletion.has_value()) {}

BucketInfoPtr Bucket::info() const {
  const std::shared_lock lock(mutex_);
  return info_;
}

Outcome<BucketInfoPtr> Bucket::ChangeInfo(const Preconditions& preconditions, const BucketInfoChange& change) {
  return ReplaceInfo(preconditions, [&](BucketInfo& info) {
    info.metageneration += 1;
    info.updated = clock_();
    return change(info);
  });
}

Outcome<BucketInfoPtr> Bucket::ChangeSubResources(const BucketInfoChange& change) { return ReplaceInfo({}, change); }

Outcome<BucketInfoPtr> Bucket::ReplaceInfo(const Preconditions& preconditions, const BucketInfoChange& change) {
  const NameLocks::Hold hold = HoldAll();
  while (true) {
    const BucketInfoPtr current = info();
    if (auto held = CheckPreconditions(preconditions, *current); !held) return tl::unexpected(held.error());
    auto changed = std::make_shared<BucketInfo>(*current);
    if (auto done = change(*changed); !done) return tl::unexpected(done.error());

    std::unique_lock lock(mutex_);
    if (is_closed_) return Fail(FailureKind::kNotFound, "The specified bucket does not exist.");
    if (info_ != current) continue;  // changed meanwhile: start again from the present state
    const auto written = CommitUnlocked(lock, [&] { return Change{log_.Put(*changed)}; });
    if (!written) return tl::unexpected(written.error());
    info_ = changed;
    return changed;
  }
}

Outcome<ObjectPtr> Bucket::InsertObject(NewObject object, const Preconditions& preconditions) {
  if (object.body->size() > kMaxObjectSize) {
    return Fail(FailureKind::kTooLarge, "The object would exceed the maximum object size of 5 TiB.");
  }
  Outcome<BodyPtr> body = KeepBody(log_.log, std::move(object.body));
  if (!body) return tl::unexpected(body.error());
  const BucketInfoPtr bucket = info();
  ApplyDefaults(*bucket, object);
  const Time now = clock_();
  if (!object.attributes.settings.empty()) {
    const auto keeps = CheckRetentionChange({}, object.attributes, *bucket, now, false);
    if (!keeps) return tl::unexpected(keeps.error());
  }
  auto stored = std::make_shared<Object>();
  stored->name = std::move(object.name);
  stored->component_count = object.component_count;
  stored->attributes = std::make_shared<const ObjectAttributes>(std::move(object.attributes));
  stored->body = *std::move(body);
  stored->time_created = stored->updated = now;
  if (object.encryption != ObjectEncryption()) {
    stored->extras = std::make_shared<const ObjectExtras>(ObjectExtras{.encryption = std::move(object.encryption)});
  }

  const NameLocks::Hold hold = HoldNames({stored->name});
  Retired replaced;  // destroyed after the lock is released: freeing its body may take a while
  std::unique_lock lock(mutex_);
  replaced = RetireLocked(FindLocked(stored->name), stored->time_created);
  const Outcome<void> allowed = CheckPlaceLocked(replaced.before.get(), preconditions, object.may_replace);
  if (!allowed) return tl::unexpected(allowed.error());
  stored->generation = NextGenerationLocked(stored->time_created);
  const std::vector<ObjectPtr> folders = MissingFoldersLocked(stored->name, now);
  // Objects that are written together often have the same description. They share one, which is most of a small
  // object's memory.
  if (last_attributes_ == nullptr || *last_attributes_ != *stored->attributes) last_attributes_ = stored->attributes;
  stored->attributes = last_attributes_;
  const auto written = CommitUnlocked(lock, [&] {
    Change change = object.also ? object.also(*stored) : Change();
    if (replaced.before != nullptr) change.push_back(RecordOf(replaced));
    for (const ObjectPtr& folder : folders) change.push_back(log_.PutFolder(*folder));
    change.push_back(log_.Put(*stored, /*is_live=*/true));
    return change;
  });
  if (!written) return tl::unexpected(written.error());
  folders_.insert(folders.begin(), folders.end());
  StoreLocked(replaced, stored);
  return stored;
}

Outcome<void> Bucket::CheckInsert(std::string_view name, const Preconditions& preconditions, bool may_replace) const {
  const std::shared_lock lock(mutex_);
  return CheckPlaceLocked(FindLocked(name).get(), preconditions, may_replace);
}

Outcome<ObjectPtr> Bucket::GetObject(const ObjectSelector& selector) const {
  const std::shared_lock lock(mutex_);
  return SelectLocked(selector);
}

Outcome<ObjectPtr> Bucket::PatchObject(const ObjectSelector& selector, const AttributesChange& change,
                                       bool overrides_retention) {
  const NameLocks::Hold hold = HoldNames({selector.name});
  while (true) {
    Outcome<ObjectPtr> current = GetObject(selector);
    if (!current) return current;
    if (auto allowed = CheckMutable(current->get()); !allowed) return tl::unexpected(allowed.error());
    auto attributes = std::make_shared<ObjectAttributes>(*(*current)->attributes);
    change(*attributes);
    const Outcome<void> fits = CheckAttributesChange(*(*current)->attributes, *attributes);
    if (!fits) return tl::unexpected(fits.error());
    const Time now = clock_();
    const Outcome<void> keeps =
        CheckRetentionChange(*(*current)->attributes, *attributes, *info(), now, overrides_retention);
    if (!keeps) return tl::unexpected(keeps.error());
    auto changed = std::make_shared<Object>(**current);
    if (attributes->storage_class != changed->attributes->storage_class) {
      auto extras = CopyExtras(**current);
      extras->storage_class_updated = now;
      changed->extras = std::move(extras);
    }
    changed->attributes = std::move(attributes);
    changed->metageneration += 1;
    changed->updated = now;

    std::unique_lock lock(mutex_);
    // Changed meanwhile, or no longer live: start again from the present state.
    if (FindGenerationLocked(changed->name, changed->generation) != *current) continue;
    const bool is_live = FindLocked(changed->name) == *current;
    const auto written = CommitUnlocked(lock, [&] { return Change{log_.Put(*changed, is_live)}; });
    if (!written) return tl::unexpected(written.error());
    ChangeLocked(*current, changed);
    return changed;
  }
}

Outcome<void> Bucket::DeleteObject(const ObjectSelector& selector, Deletion deletion) {
  const NameLocks::Hold hold = HoldNames({selector.name});
  Retired deleted;  // destroyed after the lock is released: freeing its body may take a while
  std::unique_lock lock(mutex_);
  Outcome<ObjectPtr> selected = SelectLocked(selector);
  if (!selected) return tl::unexpected(selected.error());
  if (auto allowed = CheckReplaceable(selected->get(), *info_, clock_); !allowed) return allowed;
  const Time now = clock_();
  deleted = selector.generation ? Retired{*selected, SoftDeleted(**selected, *info_, now)}
                                : RetireLocked(*std::move(selected), now);
  if (deletion == Deletion::kForGood && deleted.kept != nullptr && IsSoftDeleted(*deleted.kept)) deleted.kept = nullptr;
  auto written = CommitUnlocked(lock, [&] { return Change{RecordOf(deleted)}; });
  if (!written) return written;
  EraseLocked(deleted.before);
  if (deleted.kept != nullptr) KeepLocked(deleted.kept);
  return {};
}

Outcome<ObjectPtr> Bucket::ComposeObject(ComposeRequest request) {
  const Outcome<std::vector<ObjectPtr>> sources = SelectAll(request.sources);
  if (!sources) return tl::unexpected(sources.error());
  const BucketInfoPtr bucket = info();
  std::vector<BodyPtr> bodies;
  for (const ObjectPtr& source : *sources) {
    if (source->attributes->storage_class != sources->front()->attributes->storage_class) {
      return Fail(FailureKind::kInvalid, "The source objects of a compose must be of one storage class.");
    }
    if (auto key = CheckCustomerKey(*source, request.destination.encryption.customer_key_sha256); !key) {
      return tl::unexpected(key.error());
    }
    if (auto allowed = CheckReplaceable(source.get(), *bucket, clock_); request.delete_sources && !allowed) {
      return tl::unexpected(allowed.error());
    }
    bodies.push_back(source->body);
    const int more = std::max(source->component_count, 1);
    int& count = request.destination.component_count;
    count = more > kMostComponents - count ? kMostComponents : count + more;
  }
  request.destination.body = ConcatenateBodies(bodies);
  Outcome<ObjectPtr> composed = InsertObject(std::move(request.destination), request.preconditions);
  if (!composed || !request.delete_sources) return composed;
  for (const ObjectPtr& source : *sources) {
    // A source that was changed or deleted meanwhile is not the one that was joined, so it stays.
    (void)DeleteObject({.name = source->name, .generation = source->generation}, Deletion::kForGood);
  }
  return composed;
}

Outcome<ObjectPtr> Bucket::MoveObject(const MoveRequest& request) {
  const Time now = clock_();
  const NameLocks::Hold hold = HoldNames({request.source.name, request.name});
  Retired replaced;  // destroyed after the lock is released: freeing its body may take a while
  std::unique_lock lock(mutex_);
  Outcome<ObjectPtr> source = SelectLocked(request.source);
  if (!source) return source;
  if (auto allowed = CheckReplaceable(source->get(), *info_, clock_); !allowed) return tl::unexpected(allowed.error());
  replaced = RetireLocked(FindLocked(request.name), now);
  const Outcome<void> allowed = CheckPlaceLocked(replaced.before.get(), request.preconditions, request.may_replace);
  if (!allowed) return tl::unexpected(allowed.error());
  auto moved = std::make_shared<Object>(**source);
  moved->name = request.name;
  moved->generation = NextGenerationLocked(now);
  moved->metageneration = 1;
  moved->time_created = moved->updated = now;
  const std::vector<ObjectPtr> folders = MissingFoldersLocked(moved->name, now);
  const Retired left{*source, info_->is_versioned ? Noncurrent(**source, now) : nullptr};
  const auto written = CommitUnlocked(lock, [&] {
    Change change{RecordOf(left)};
    if (replaced.before != nullptr) change.push_back(RecordOf(replaced));
    for (const ObjectPtr& folder : folders) change.push_back(log_.PutFolder(*folder));
    change.push_back(log_.Put(*moved, /*is_live=*/true));
    return change;
  });
  if (!written) return tl::unexpected(written.error());
  folders_.insert(folders.begin(), folders.end());
  EraseLocked(left.before);
  if (left.kept != nullptr) KeepLocked(left.kept);
  StoreLocked(replaced, moved);
  return moved;
}

ListPage Bucket::List(const ListQuery& query) const {
  const auto list = [this](const ListQuery& part) {
    const std::shared_lock lock(mutex_);
    if (!part.has_folders) return ListObjects(objects_, part, computed_.get(), &noncurrent_);
    ListQuery with_folders = part;  // There are no noncurrent generations beside folders.
    with_folders.has_versions = true;
    return ListObjects(objects_, with_folders, nullptr, &folders_);
  };
  return query.glob ? ListMatching(query, list) : list(query);
}

BucketUsage Bucket::usage() const {
  const std::shared_lock lock(mutex_);
  return {objects_.size() + noncurrent_.size() + soft_deleted_.size(), stored_bytes_};
}

void Bucket::Adopt(ObjectPtr object, bool is_live) {
  const std::scoped_lock lock(mutex_);
  last_generation_ = std::max(last_generation_, object->generation);
  if (!is_live) return KeepLocked(object);
  stored_bytes_ += object->body->size();
  objects_.Insert(std::move(object));
}

BucketSnapshot Bucket::Capture() const {
  BucketSnapshot snapshot{.computed = computed_, .uploads = uploads_.Capture()};
  const std::shared_lock lock(mutex_);
  snapshot.info = info_;
  snapshot.live.reserve(objects_.size());
  for (auto at = objects_.begin(); at != objects_.end(); ++at) snapshot.live.push_back(*at);
  snapshot.noncurrent.assign(noncurrent_.begin(), noncurrent_.end());
  snapshot.folders.assign(folders_.begin(), folders_.end());
  snapshot.soft_deleted.assign(soft_deleted_.by_name().begin(), soft_deleted_.by_name().end());
  return snapshot;
}

NameLocks::Hold Bucket::HoldNames(std::initializer_list<std::string_view> names) {
  return log_ ? names_.Lock({names.begin(), names.end()}) : NameLocks::Hold();
}

NameLocks::Hold Bucket::HoldAll() { return log_ ? names_.LockAll() : NameLocks::Hold(); }

RecordChange Bucket::RecordOf(const Retired& retired) const {
  return retired.kept != nullptr ? log_.Put(*retired.kept, /*is_live=*/false) : log_.Erase(*retired.before);
}

Outcome<void> Bucket::CheckMayDeleteLocked(const Object& object) const {
  return CheckReplaceable(&object, *info_, clock_);
}

ObjectPtr Bucket::FindLocked(std::string_view name) const {
  const auto found = objects_.Find(name);
  if (found != objects_.end()) return *found;
  return computed_ != nullptr ? computed_->Find(name) : nullptr;
}

ObjectPtr Bucket::FindGenerationLocked(std::string_view name, std::int64_t generation) const {
  ObjectPtr live = FindLocked(name);
  if (live != nullptr && live->generation == generation) return live;
  const auto found = noncurrent_.find(GenerationKey{name, generation});
  return found != noncurrent_.end() ? *found : nullptr;
}

Outcome<std::vector<ObjectPtr>> Bucket::SelectAll(const std::vector<ObjectSelector>& selectors) const {
  std::vector<ObjectPtr> selected;
  const std::shared_lock lock(mutex_);
  for (const ObjectSelector& selector : selectors) {
    Outcome<ObjectPtr> object = SelectLocked(selector);
    if (!object) return tl::unexpected(object.error());
    selected.push_back(*std::move(object));
  }
  return selected;
}

Outcome<ObjectPtr> Bucket::SelectLocked(const ObjectSelector& selector) const {
  const ObjectPtr live = FindLocked(selector.name);
  ObjectPtr found = selector.generation ? FindGenerationLocked(selector.name, *selector.generation) : live;
  if (found == nullptr) {
    return Fail(FailureKind::kNotFound, "No such object: " + info_->name + "/" + selector.name);
  }
  if (auto held = CheckPreconditions(selector.preconditions, *found, live.get()); !held) {
    return tl::unexpected(held.error());
  }
  return found;
}

// Whether a new generation may replace the live one, which is null if there is none.
Outcome<void> Bucket::CheckPlaceLocked(const Object* live, const Preconditions& preconditions, bool may_replace) const {
  if (is_closed_) return Fail(FailureKind::kNotFound, "The specified bucket does not exist.");
  if (live != nullptr && !may_replace) {
    // In the words of a refusal for lack of a permission.
    return Fail(FailureKind::kReplaceDenied,
                "The caller does not have storage.objects.delete access to the Google Cloud Storage object. Permission "
                "'storage.objects.delete' denied on resource (or it may not exist).");
  }
  if (auto held = CheckPreconditions(preconditions, live); !held) return held;
  return CheckReplaceable(live, *info_, clock_);
}

// GCS's generations are microseconds too. Two writes at the same moment still get different ones.
std::int64_t Bucket::NextGenerationLocked(Time now) {
  return last_generation_ = std::max(last_generation_ + 1, Microseconds(now));
}

// What becomes of the live generation, which may be null, if another one takes its place or it is deleted.
Bucket::Retired Bucket::RetireLocked(ObjectPtr live, Time now) const {
  if (live == nullptr) return {};
  ObjectPtr kept = info_->is_versioned ? Noncurrent(*live, now) : SoftDeleted(*live, *info_, now);
  return {std::move(live), std::move(kept)};
}

// Puts a new generation in the place of the live one, if any.
void Bucket::StoreLocked(const Retired& replaced, ObjectPtr object) {
  if (replaced.kept != nullptr) KeepLocked(replaced.kept);
  stored_bytes_ += object->body->size() - (replaced.before != nullptr ? replaced.before->body->size() : 0);
  if (replaced.before == nullptr) {
    objects_.Insert(std::move(object));
  } else {
    objects_.Replace(objects_.Find(replaced.before->name), std::move(object));
  }
}

// Replaces the state of an existing generation, live or noncurrent. Its place in the order stays the same.
void Bucket::ChangeLocked(const ObjectPtr& current, ObjectPtr changed) {
  const auto found = objects_.Find(current->name);
  if (found != objects_.end() && *found == current) return objects_.Replace(found, std::move(changed));
  auto node = noncurrent_.extract(noncurrent_.find(current));
  node.value() = std::move(changed);
  noncurrent_.insert(std::move(node));
}

// Adds a noncurrent or soft-deleted generation.
void Bucket::KeepLocked(const ObjectPtr& kept) {
  stored_bytes_ += kept->body->size();
  IsSoftDeleted(*kept) ? soft_deleted_.Insert(kept) : void(noncurrent_.insert(kept));
}

void Bucket::EraseLocked(const ObjectPtr& object) {
  stored_bytes_ -= object->body->size();
  const auto found = objects_.Find(object->name);
  if (found != objects_.end() && *found == object) {
    objects_.Erase(found);
  } else {
    noncurrent_.erase(object);
  }
}

}  // namespace gcsflux::emulator
