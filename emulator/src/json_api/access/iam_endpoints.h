#pragma once

#include "json_api/api_call.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// The IAM policies of buckets, and what a caller may do. Thread-safe.
class IamEndpoints {
 public:
  explicit IamEndpoints(Store& store) : store_(store) {}

  ApiResult<HttpResponse> GetBucketPolicy(const ApiCall& call) const;
  /// If the policy has an etag, it must be the present one.
  ApiResult<HttpResponse> SetBucketPolicy(const ApiCall& call) const;

  /// Those of the requested `permissions` that the caller has on the bucket, or on the object if the path names one;
  /// all of them if the emulator asks for no credentials.
  ApiResult<HttpResponse> TestPermissions(const ApiCall& call) const;

 private:
  Store& store_;
};

}  // namespace gcsflux::emulator
