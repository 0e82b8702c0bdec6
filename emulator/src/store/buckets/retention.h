#pragma once

#include <optional>

#include "base/failure.h"
#include "base/time_source.h"
#include "store/buckets/bucket_info.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

// https://cloud.google.com/storage/docs/bucket-lock and https://cloud.google.com/storage/docs/object-lock

/// When the bucket's retention policy lets go of the object. Nothing if there is no policy.
std::optional<Time> RetentionExpiration(const Object& object, const BucketInfo& bucket);

/// kImmutable if the object cannot be replaced or deleted yet, by the bucket's policy or its own retention.
Outcome<void> CheckRetention(const Object& object, const BucketInfo& bucket, Time now);

/// Whether the retention of one generation may change so. kInvalid if the bucket was made without object retention or
/// the time has passed already; kReplaceDenied if it is locked and would end earlier, or is unlocked, would end
/// earlier, and `overrides` is false.
Outcome<void> CheckRetentionChange(const ObjectAttributes& before, const ObjectAttributes& after,
                                   const BucketInfo& bucket, Time now, bool overrides);

}  // namespace gcsflux::emulator
