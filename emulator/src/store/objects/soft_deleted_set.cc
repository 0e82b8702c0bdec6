#include "store/objects/soft_deleted_set.h"

namespace gcsflux::emulator {
namespace {

Time HardDeleteOf(const Object& object) { return object.extras->soft_deletion->hard_delete; }

}  // namespace

bool SoftDeletedSet::ByHardDelete::operator()(const ObjectPtr& a, const ObjectPtr& b) const {
  if (HardDeleteOf(*a) != HardDeleteOf(*b)) return HardDeleteOf(*a) < HardDeleteOf(*b);
  return KeyOf(*a) < KeyOf(*b);
}

void SoftDeletedSet::Insert(const ObjectPtr& object) {
  by_name_.insert(object);
  by_hard_delete_.insert(object);
}

bool SoftDeletedSet::Erase(const ObjectPtr& object) {
  by_hard_delete_.erase(object);
  return by_name_.erase(object) != 0;
}

ObjectPtr SoftDeletedSet::Find(std::string_view name, std::int64_t generation) const {
  const auto found = by_name_.find(GenerationKey{name, generation});
  return found != by_name_.end() ? *found : nullptr;
}

std::vector<ObjectPtr> SoftDeletedSet::FindExpired(Time now) const {
  std::vector<ObjectPtr> expired;
  for (const ObjectPtr& object : by_hard_delete_) {
    if (HardDeleteOf(*object) > now) break;
    expired.push_back(object);
  }
  return expired;
}

Time SoftDeletedSet::last_hard_delete() const {
  return by_hard_delete_.empty() ? Time::min() : HardDeleteOf(**by_hard_delete_.rbegin());
}

}  // namespace gcsflux::emulator
