#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "http/api_error.h"
#include "store/buckets/bucket_info.h"

namespace gcsflux::emulator {

// A bucket's policy: https://cloud.google.com/storage/docs/json_api/v1/buckets/setIamPolicy. Its bindings of
// roles/storage.legacyBucket* and the bucket's access control list are one thing in two forms, as on GCS:
// https://cloud.google.com/storage/docs/access-control/iam#acls

/// The bindings, with those that stand for the bucket's access control list: [{"role", "members", "condition"}].
nlohmann::json BindingsOf(const BucketInfo& bucket);

/// Gives the bucket these bindings.
void SetBindings(BucketInfo& bucket, const nlohmann::json& bindings);

/// 400 if a role, a member or a condition cannot be there, 412 if a member is public and the bucket prevents that. Each
/// must have the right types.
ApiResult<void> CheckBindings(const BucketInfo& bucket, const nlohmann::json& bindings);

/// A condition is never met here.
bool HasConditions(const nlohmann::json& bindings);

}  // namespace gcsflux::emulator
