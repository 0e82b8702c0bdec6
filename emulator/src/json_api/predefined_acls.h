#pragma once

#include "json_api/api_call.h"
#include "store/buckets/bucket_info.h"

namespace gcsflux::emulator {

/// Gives the bucket the lists that `predefinedAcl` and `predefinedDefaultObjectAcl` name, if the query has them.
Outcome<void> ApplyPredefinedAcls(const QueryParameters& query, BucketInfo& info);

}  // namespace gcsflux::emulator
