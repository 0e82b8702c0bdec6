#pragma once

#include "json_api/api_call.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/json_api/v1/notifications. A bucket's configurations are kept as they were
/// made. Thread-safe.
class NotificationEndpoints {
 public:
  explicit NotificationEndpoints(Store& store) : store_(store) {}

  ApiResult<HttpResponse> List(const ApiCall& call) const;
  ApiResult<HttpResponse> Insert(const ApiCall& call) const;
  ApiResult<HttpResponse> Get(const ApiCall& call) const;
  ApiResult<HttpResponse> Delete(const ApiCall& call) const;

 private:
  Store& store_;
};

}  // namespace gcsflux::emulator
