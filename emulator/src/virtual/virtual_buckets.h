#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/emulator/virtual_bucket.h"
#include "store/buckets/store.h"
#include "store/objects/object_source.h"

namespace gcsflux::emulator {

/// The virtual buckets of an emulator. Immutable; thread-safe.
class VirtualBuckets {
 public:
  /// If one is not valid or a name occurs twice, throws std::invalid_argument, which names the bucket and the field.
  explicit VirtualBuckets(std::span<const VirtualBucket> buckets);
  /// The same, and adds them to `store`.
  VirtualBuckets(std::span<const VirtualBucket> buckets, Store& store);

  /// Adds those whose names `store` does not have: all, if it is empty.
  void AddTo(Store& store) const;

 private:
  std::vector<std::pair<std::string, std::shared_ptr<const ObjectSource>>> buckets_;
};

}  // namespace gcsflux::emulator
