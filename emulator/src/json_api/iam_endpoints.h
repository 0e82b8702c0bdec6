#pragma once

#include "json_api/api_call.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/json_api/v1/buckets/testIamPermissions. Thread-safe.
class IamEndpoints {
 public:
  explicit IamEndpoints(Store& store) : store_(store) {}

  /// Those of the `permissions` asked for that the caller has; all of them where nobody is asked who they are.
  ApiResult<HttpResponse> TestBucketPermissions(const ApiCall& call) const;

 private:
  Store& store_;
};

}  // namespace gcsflux::emulator
