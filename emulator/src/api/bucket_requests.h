#pragma once

#include <string_view>

#include "http/api_error.h"
#include "store/buckets/bucket_info.h"

namespace gcsflux::emulator {

// The JSON bodies of requests about buckets: https://cloud.google.com/storage/docs/json_api/v1/buckets#resource.
// Unknown fields, and those that only the service sets, are ignored. 400 if the text is not a JSON object or a value
// has a wrong type.

/// `now` is when its settings take effect.
ApiResult<BucketInfo> ParseBucketResource(std::string_view json, Time now);
/// A JSON merge patch: null deletes. The change fails if its result is not a valid bucket.
ApiResult<BucketInfoChange> ParseBucketPatch(std::string_view json);
/// Settings that the resource lacks are deleted, except for the storage class, the soft-delete policy, and who may use
/// the bucket.
ApiResult<BucketInfoChange> ParseBucketUpdate(std::string_view json);

}  // namespace gcsflux::emulator
