#include "virtual/virtual_buckets.h"

#include <algorithm>
#include <stdexcept>

#include "virtual/virtual_objects.h"

namespace gcsflux::emulator {

VirtualBuckets::VirtualBuckets(std::span<const VirtualBucket> buckets) {
  for (const VirtualBucket& bucket : buckets) {
    CheckVirtualBucket(bucket);
    const bool is_twice =
        std::any_of(buckets_.begin(), buckets_.end(), [&](const auto& other) { return other.first == bucket.name; });
    if (is_twice) throw std::invalid_argument("virtual bucket '" + bucket.name + "': name: it comes twice");
    buckets_.emplace_back(bucket.name, std::make_shared<const VirtualObjects>(bucket));
  }
}

VirtualBuckets::VirtualBuckets(std::span<const VirtualBucket> buckets, Store& store) : VirtualBuckets(buckets) {
  AddTo(store);
}

void VirtualBuckets::AddTo(Store& store) const {
  // The names are valid, so one that is refused is there already.
  for (const auto& [name, objects] : buckets_) (void)store.InsertBucket({.name = name}, objects);
}

}  // namespace gcsflux::emulator
