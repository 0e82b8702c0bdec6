#include "store/lifecycle/lifecycle.h"

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "store/lifecycle/lifecycle_rules.h"

namespace gcsflux::emulator {
namespace {

constexpr std::chrono::minutes kInterval{1};

// If the object has changed meanwhile, or is kept by a hold or its retention, nothing happens.
void CarryOut(Bucket& bucket, const LifecycleSubject& subject, const std::string& step) {
  const Object& object = subject.object;
  ObjectSelector selector{.name = object.name, .preconditions = {.if_metageneration_match = object.metageneration}};
  if (subject.is_live) {
    selector.preconditions.if_generation_match = object.generation;
  } else {
    selector.generation = object.generation;
  }
  if (step.empty()) {
    (void)bucket.DeleteObject(selector);
  } else {
    (void)bucket.PatchObject(selector, [&](ObjectAttributes& attributes) { attributes.storage_class = step; });
  }
}

// The generations of one name, the latest first, and how many later ones each has.
class Names {
 public:
  Names(Bucket& bucket, const std::vector<LifecycleRule>& rules, Time now)
      : bucket_(bucket), rules_(rules), now_(now) {}

  // Of live objects and of noncurrent ones, each in their order; the latter's latest are last.
  void Visit(const BucketSnapshot& snapshot) {
    auto live = snapshot.live.rbegin();
    for (auto at = snapshot.noncurrent.rbegin(); at != snapshot.noncurrent.rend(); ++at) {
      for (; live != snapshot.live.rend() && (*live)->name >= (*at)->name; ++live) Visit(**live, true);
      Visit(**at, false);
    }
    for (; live != snapshot.live.rend(); ++live) Visit(**live, true);
  }

 private:
  void Visit(const Object& object, bool is_live) {
    newer_ = last_ != nullptr && last_->name == object.name ? newer_ + 1 : 0;
    last_ = &object;
    const LifecycleSubject subject{object, is_live, newer_};
    if (const auto step = ChooseLifecycleStep(rules_, subject, now_)) CarryOut(bucket_, subject, *step);
  }

  Bucket& bucket_;
  const std::vector<LifecycleRule>& rules_;
  const Time now_;
  const Object* last_ = nullptr;
  std::int64_t newer_ = 0;
};

void EndUploads(Bucket& bucket, const std::vector<LifecycleRule>& rules, const BucketSnapshot& snapshot, Time now) {
  for (const auto& [upload, parts] : snapshot.uploads) {
    if (!EndsUpload(rules, upload.object, upload.initiated, now)) continue;
    const auto found = bucket.uploads().Find({upload.object, upload.id});
    if (found != nullptr && found->Abort()) bucket.uploads().Remove({upload.object, upload.id});
  }
}

}  // namespace

void Lifecycle::CatchUp() {
  const Time now = store_.now();
  if (now.time_since_epoch().count() < next_.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock(running_, std::try_to_lock);
  if (!lock) return;
  store_.DropExpired();
  for (const std::shared_ptr<Bucket>& bucket : store_.buckets()) ApplyRules(*bucket);
  next_ = (now + kInterval).time_since_epoch().count();
}

void Lifecycle::ApplyRules(Bucket& bucket) const {
  const BucketInfoPtr info = bucket.info();
  const auto found = info->settings.find("lifecycle");
  if (found == info->settings.end()) return;
  const Outcome<std::vector<LifecycleRule>> rules = ParseLifecycle(nlohmann::json::parse(found->second));
  if (!rules) return;  // from before they were checked
  const BucketSnapshot snapshot = bucket.Capture();
  const Time now = store_.now();
  Names(bucket, *rules, now).Visit(snapshot);
  EndUploads(bucket, *rules, snapshot, now);
}

}  // namespace gcsflux::emulator
