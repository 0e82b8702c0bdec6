#pragma once

#include <string>
#include <string_view>

#include "api/caller.h"
#include "http/api_error.h"
#include "store/buckets/bucket_info.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// Settles who may use an object that a request writes or changes. `predefined` is the request's predefinedAcl or its
/// like, or "". `attributes` may have an `acl` that the request's body gave; `gives_acl` says so. 400 under uniform
/// access, 412 if the list is public and the bucket prevents that, 403 if the caller may not give access.
ApiResult<void> SettleObjectAcl(const Caller& caller, const BucketInfo& bucket, std::string_view predefined,
                                bool gives_acl, ObjectAttributes& attributes);

/// The same for a new object. Its owner is the caller.
ApiResult<void> SettleNewObjectAcl(const Caller& caller, const BucketInfo& bucket, std::string_view predefined,
                                   ObjectAttributes& attributes);

}  // namespace gcsflux::emulator
