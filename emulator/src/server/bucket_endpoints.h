#pragma once

#include "server/api_call.h"
#include "store/store.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/json_api/v1/buckets. Thread-safe.
class BucketEndpoints {
 public:
  explicit BucketEndpoints(Store& store) : store_(store) {}

  ApiResult<HttpResponse> List(const ApiCall& call) const;
  ApiResult<HttpResponse> Insert(const ApiCall& call) const;
  ApiResult<HttpResponse> Get(const ApiCall& call) const;
  ApiResult<HttpResponse> Delete(const ApiCall& call) const;

 private:
  Store& store_;
};

}  // namespace gcsflux::emulator
