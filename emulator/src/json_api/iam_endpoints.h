#pragma once

#include "json_api/api_call.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/json_api/v1/buckets/testIamPermissions. Thread-safe.
class IamEndpoints {
 public:
  explicit IamEndpoints(Store& store) : store_(store) {}

  /// Those of the requested `permissions` that the caller has; all of them if the emulator asks for no credentials.
  ApiResult<HttpResponse> TestBucketPermissions(const ApiCall& call) const;

 private:
  Store& store_;
};

}  // namespace gcsflux::emulator
