#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gcsflux/epoch.h"
#include "gcsflux/listing.h"

namespace gcsflux::internal {

/// Computes the hash of a fingerprint, one object after the other.
class ListingHash {
 public:
  void Add(const ListedObject& object);
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

/// A hash of the name and the seed: 64 well mixed bits, the same on every machine.
std::uint64_t HashOfName(std::string_view name, std::uint64_t seed);

/// For the objects of a listing of `prefix`, in their order. Takes about 10 ns for each.
ListingFingerprint FingerprintOf(const ObjectName& prefix, std::span<const ListedObject> objects);

}  // namespace gcsflux::internal
