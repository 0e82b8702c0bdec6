#pragma once

#include <string>

#include "base/or_error.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// An error says why the bucket could not be made.
OrError<void> CreateBucket(const Service& service, const std::string& bucket);

/// Deletes every object of the bucket, noncurrent ones included, and the bucket. Succeeds if the bucket does not exist.
OrError<void> DeleteBucketAndObjects(const Service& service, const std::string& bucket);

/// Deletes every object whose name begins with `prefix`, noncurrent ones included. `prefix` needs no encoding, but for
/// slashes.
OrError<void> DeleteObjectsBelow(const Service& service, const std::string& bucket, const std::string& prefix);

}  // namespace gcsflux::conformance
