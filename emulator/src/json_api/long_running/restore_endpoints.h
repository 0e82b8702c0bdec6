#pragma once

#include "json_api/api_call.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// What is soft-deleted becomes live again: https://cloud.google.com/storage/docs/json_api/v1/objects/restore, its
/// /bulkRestore, and https://cloud.google.com/storage/docs/json_api/v1/buckets/restore. Thread-safe.
class RestoreEndpoints {
 public:
  explicit RestoreEndpoints(Store& store) : store_(store) {}

  ApiResult<HttpResponse> RestoreObject(const ApiCall& call) const;
  /// Of several generations of a name, restores the last one. Takes no time: the operation that answers is over.
  ApiResult<HttpResponse> RestoreObjects(const ApiCall& call) const;
  ApiResult<HttpResponse> RestoreBucket(const ApiCall& call) const;

 private:
  Store& store_;
};

}  // namespace gcsflux::emulator
