#include "virtual/virtual_buckets.h"

#include "virtual/virtual_objects.h"

namespace gcsflux::emulator {

VirtualBuckets::VirtualBuckets(std::span<const VirtualBucket> buckets) {
  CheckVirtualBuckets(buckets);
  for (const VirtualBucket& bucket : buckets) {
    buckets_.emplace_back(bucket.name, std::make_shared<const VirtualObjects>(bucket));
  }
}

VirtualBuckets::VirtualBuckets(std::span<const VirtualBucket> buckets, Store& store) : VirtualBuckets(buckets) {
  AddTo(store);
}

void VirtualBuckets::AddTo(Store& store) const {
  // The names are valid, so a refused one exists already.
  for (const auto& [name, objects] : buckets_) (void)store.InsertBucket({.name = name}, objects);
}

}  // namespace gcsflux::emulator
