// What a bucket does with soft-deleted generations: https://cloud.google.com/storage/docs/soft-delete

#include <mutex>
#include <utility>
#include <vector>

#include "store/buckets/bucket.h"
#include "store/listing/glob_listing.h"

namespace gcsflux::emulator {

Outcome<ObjectPtr> Bucket::GetSoftDeleted(std::string_view name, std::int64_t generation) {
  DropExpired();
  const std::shared_lock lock(mutex_);
  if (ObjectPtr found = soft_deleted_.Find(name, generation)) return found;
  return Fail(FailureKind::kNotFound, "No such object: " + info_->name + "/" + std::string(name));
}

ListPage Bucket::ListSoftDeleted(ListQuery query) {
  const ObjectSet none;
  DropExpired();
  query.has_versions = true;
  const auto list = [&](const ListQuery& part) {
    const std::shared_lock lock(mutex_);
    return ListObjects(none, part, nullptr, &soft_deleted_.by_name());
  };
  return query.glob ? ListMatching(query, list) : list(query);
}

Outcome<ObjectPtr> Bucket::RestoreObject(const RestoreRequest& request) {
  const Outcome<ObjectPtr> deleted = GetSoftDeleted(request.name, request.generation);
  if (!deleted) return deleted;
  NewObject restored{.name = request.name,
                     .attributes = *(*deleted)->attributes,
                     .body = (*deleted)->body,
                     .component_count = (*deleted)->component_count,
                     .encryption = (*deleted)->extras->encryption,
                     .may_replace = request.may_replace};
  if (!request.copies_acl) restored.attributes.settings.erase("acl");
  // Its time has passed, or it could not have been deleted.
  restored.attributes.settings.erase("retention");
  return InsertObject(std::move(restored), request.preconditions);
}

void Bucket::DropExpired() {
  std::vector<ObjectPtr> expired;  // destroyed after the lock is released
  {
    const std::shared_lock lock(mutex_);
    if (soft_deleted_.empty()) return;
    expired = soft_deleted_.FindExpired(clock_());
  }
  if (expired.empty()) return;
  if (log_) {
    Change change;
    for (const ObjectPtr& object : expired) change.push_back(log_.Erase(*object));
    // Without space they stay until another time: a record must not name bytes that are gone.
    if (!log_.log->Commit(std::move(change))) return;
  }
  const std::scoped_lock lock(mutex_);
  for (const ObjectPtr& object : expired) {
    if (soft_deleted_.Erase(object)) stored_bytes_ -= object->body->size();
  }
}

}  // namespace gcsflux::emulator
