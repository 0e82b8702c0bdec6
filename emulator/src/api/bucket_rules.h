#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/failure.h"
#include "http/api_error.h"
#include "store/buckets/bucket_info.h"

namespace gcsflux::emulator {

// What the settings of a bucket must fulfil beside their types. `before` is the bucket that they replace, with the time
// of the change; of a new bucket it has no settings.

/// Brings the access control lists and `iamConfiguration` to the form in which they are stored. Uniform access stays on
/// once it has been on for 90 days: https://cloud.google.com/storage/docs/uniform-bucket-level-access#reversion
Outcome<void> SettleAccess(nlohmann::json& settings, const BucketInfo& before);

/// Whether the bucket can have the access control lists that `given`, the request's part of its settings, names:
/// kInvalid under uniform access, kPreconditionFailed if a list is public and the bucket prevents that.
Outcome<void> CheckGivenAcls(const nlohmann::json& given, const BucketInfo& info);

/// https://cloud.google.com/storage/docs/bucket-lock: at most a hundred years; a locked policy can only be extended.
Outcome<void> SettleRetention(nlohmann::json& settings, const BucketInfo& before);

/// https://cloud.google.com/storage/docs/autoclass: since when it is on, and the class that is the last one. Objects
/// change their class by lifecycle rules only.
Outcome<void> SettleAutoclass(nlohmann::json& settings, const BucketInfo& before);

/// https://cloud.google.com/storage/docs/hns-overview: set once, with uniform access and without versioning. Call it
/// after SettleAccess().
Outcome<void> SettleNamespace(nlohmann::json& settings, const BucketInfo& before);

/// For good.
Outcome<void> LockRetention(BucketInfo& info);

/// 501 if a setting asks for what the emulator does not do.
ApiResult<void> RefuseUnserved(const nlohmann::json& settings);

}  // namespace gcsflux::emulator
