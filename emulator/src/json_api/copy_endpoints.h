#pragma once

#include "json_api/api_call.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/json_api/v1/objects/copy, /rewrite and /move. The bytes are shared, never
/// moved: a rewrite in several calls only counts them. The route's object is the destination. Thread-safe.
class CopyEndpoints {
 public:
  explicit CopyEndpoints(Store& store) : store_(store) {}

  ApiResult<HttpResponse> Copy(const ApiCall& call) const;
  ApiResult<HttpResponse> Rewrite(const ApiCall& call) const;
  /// Within the bucket, in one step: https://cloud.google.com/storage/docs/json_api/v1/objects/move
  ApiResult<HttpResponse> Move(const ApiCall& call) const;

 private:
  struct Plan;
  [[nodiscard]] ApiResult<ObjectPtr> FindSource(const ApiCall& call, const Bucket& bucket) const;
  [[nodiscard]] ApiResult<Plan> MakePlan(const ApiCall& call) const;

  Store& store_;
};

}  // namespace gcsflux::emulator
