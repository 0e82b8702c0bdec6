#pragma once

#include <cstdint>
#include <optional>

#include "base/failure.h"
#include "store/buckets/bucket_info.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// The conditions that a request puts on the object. A generation of 0 means that no live object has the name.
struct Preconditions {
  std::optional<std::int64_t> if_generation_match = {};
  std::optional<std::int64_t> if_generation_not_match = {};
  std::optional<std::int64_t> if_metageneration_match = {};
  std::optional<std::int64_t> if_metageneration_not_match = {};

  friend bool operator==(const Preconditions&, const Preconditions&) = default;
};

/// Succeeds if `live` meets all of them; null means that there is none.
Outcome<void> CheckPreconditions(const Preconditions& preconditions, const Object* live);

/// For a request that names a generation. Its metageneration counts, but generation conditions are about the live one.
Outcome<void> CheckPreconditions(const Preconditions& preconditions, const Object& named, const Object* live);

/// The same for a bucket, which has a metageneration only.
Outcome<void> CheckPreconditions(const Preconditions& preconditions, const BucketInfo& bucket);

}  // namespace gcsflux::emulator
