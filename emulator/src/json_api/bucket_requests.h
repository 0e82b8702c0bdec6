#pragma once

#include <string_view>

#include "http/api_error.h"
#include "store/buckets/bucket_info.h"

namespace gcsflux::emulator {

// The JSON bodies of requests about buckets: https://cloud.google.com/storage/docs/json_api/v1/buckets#resource.
// Unknown fields and those that only the service sets are ignored; 400 where the text is not a JSON object or a value
// has a wrong type.

/// `now` is when what it sets takes effect.
ApiResult<BucketInfo> ParseBucketResource(std::string_view json, Time now);
/// A JSON merge patch: null deletes. The change fails where it makes no bucket.
ApiResult<BucketInfoChange> ParseBucketPatch(std::string_view json);
/// What the resource does not have is deleted, but for the storage class and the soft-delete policy.
ApiResult<BucketInfoChange> ParseBucketUpdate(std::string_view json);

}  // namespace gcsflux::emulator
