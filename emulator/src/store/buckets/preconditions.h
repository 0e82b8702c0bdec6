#pragma once

#include <cstdint>
#include <optional>

#include "base/failure.h"
#include "store/buckets/bucket_info.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// What a request demands of the object as it stands. A generation of 0 means that no object of the name is live.
struct Preconditions {
  std::optional<std::int64_t> if_generation_match = {};
  std::optional<std::int64_t> if_generation_not_match = {};
  std::optional<std::int64_t> if_metageneration_match = {};
  std::optional<std::int64_t> if_metageneration_not_match = {};

  friend bool operator==(const Preconditions&, const Preconditions&) = default;
};

/// Success where `live`, null where there is none, meets all of them.
Outcome<void> CheckPreconditions(const Preconditions& preconditions, const Object* live);

/// For a request that names a generation: its metageneration counts, but whether it is the live one is asked as ever.
Outcome<void> CheckPreconditions(const Preconditions& preconditions, const Object& named, const Object* live);

/// The same for a bucket, which has a metageneration only.
Outcome<void> CheckPreconditions(const Preconditions& preconditions, const BucketInfo& bucket);

}  // namespace gcsflux::emulator
