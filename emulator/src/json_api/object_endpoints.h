#pragma once

#include "json_api/api_call.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/json_api/v1/objects, without uploads. Thread-safe.
class ObjectEndpoints {
 public:
  explicit ObjectEndpoints(Store& store) : store_(store) {}

  ApiResult<HttpResponse> List(const ApiCall& call) const;
  /// Metadata, or with `alt=media` the bytes.
  ApiResult<HttpResponse> Get(const ApiCall& call) const;
  ApiResult<HttpResponse> Download(const ApiCall& call) const;
  ApiResult<HttpResponse> Patch(const ApiCall& call) const;
  ApiResult<HttpResponse> Update(const ApiCall& call) const;
  ApiResult<HttpResponse> Delete(const ApiCall& call) const;
  ApiResult<HttpResponse> Compose(const ApiCall& call) const;

 private:
  [[nodiscard]] ApiResult<std::shared_ptr<Bucket>> FindBucket(const ApiCall& call) const;
  [[nodiscard]] ApiResult<ObjectPtr> Find(const ApiCall& call) const;
  [[nodiscard]] ApiResult<HttpResponse> Change(const ApiCall& call, const ApiResult<AttributesChange>& change) const;

  Store& store_;
};

}  // namespace gcsflux::emulator
