#pragma once

#include <string>

#include "json_api/api_call.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// 400 if no folder can have the name. A '/' at the end that is missing is added.
ApiResult<std::string> ReadFolderName(const std::string& name);

/// https://cloud.google.com/storage/docs/json_api/v1/folders: those of a hierarchical namespace. The operations that
/// take long on the service are over when they are answered. Thread-safe.
class FolderEndpoints {
 public:
  explicit FolderEndpoints(Store& store) : store_(store) {}

  ApiResult<HttpResponse> Insert(const ApiCall& call) const;
  ApiResult<HttpResponse> Get(const ApiCall& call) const;
  /// Empty if the bucket has no hierarchical namespace.
  ApiResult<HttpResponse> List(const ApiCall& call) const;
  ApiResult<HttpResponse> Delete(const ApiCall& call) const;
  ApiResult<HttpResponse> DeleteRecursive(const ApiCall& call) const;
  /// The route's source object is the folder, its object the new name.
  ApiResult<HttpResponse> Rename(const ApiCall& call) const;

 private:
  Store& store_;
};

}  // namespace gcsflux::emulator
