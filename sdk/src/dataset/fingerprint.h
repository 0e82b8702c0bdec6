#pragma once

#include <cstdint>
#include <span>

#include "gcsflux/epoch.h"
#include "gcsflux/listing.h"

namespace gcsflux::internal {

/// The hash of a fingerprint, one object after the other.
class ListingHash {
 public:
  void Add(const ListedObject& object);
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

/// Of the objects that a listing of `prefix` gave, in their order. Takes 10 ns or so for each.
ListingFingerprint FingerprintOf(const ObjectName& prefix, std::span<const ListedObject> objects);

}  // namespace gcsflux::internal
