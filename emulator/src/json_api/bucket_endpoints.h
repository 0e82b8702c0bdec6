#pragma once

#include <string>
#include <utility>

#include "json_api/api_call.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// The bucket's resource, as `fields` asks for it.
HttpResponse BucketResponse(const ApiCall& call, const BucketInfo& bucket);

/// https://cloud.google.com/storage/docs/json_api/v1/buckets. Thread-safe.
class BucketEndpoints {
 public:
  /// If the default project is "", requests that need a project and name none are refused.
  BucketEndpoints(Store& store, std::string default_project)
      : store_(store), default_project_(std::move(default_project)) {}

  ApiResult<HttpResponse> List(const ApiCall& call) const;
  ApiResult<HttpResponse> Insert(const ApiCall& call) const;
  ApiResult<HttpResponse> Get(const ApiCall& call) const;
  ApiResult<HttpResponse> Patch(const ApiCall& call) const;
  ApiResult<HttpResponse> Update(const ApiCall& call) const;
  ApiResult<HttpResponse> Delete(const ApiCall& call) const;
  /// The metageneration that the client knows must be the present one.
  ApiResult<HttpResponse> LockRetentionPolicy(const ApiCall& call) const;
  ApiResult<HttpResponse> GetStorageLayout(const ApiCall& call) const;
  /// What no bucket has here: managed folders, caches, operations that take long.
  ApiResult<HttpResponse> ListNone(const ApiCall& call) const;
  /// 404 for every request about one of them.
  ApiResult<HttpResponse> FindNone(const ApiCall& call) const;

 private:
  [[nodiscard]] ApiResult<void> RequireProject(const ApiCall& call) const;
  [[nodiscard]] ApiResult<HttpResponse> Change(const ApiCall& call, const ApiResult<BucketInfoChange>& change) const;

  Store& store_;
  const std::string default_project_;
};

}  // namespace gcsflux::emulator
