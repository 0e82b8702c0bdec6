#pragma once

#include "json_api/api_call.h"
#include "store/buckets/store.h"
#include "store/uploads/pending_object.h"
#include "uploads/resumable_endpoints.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/uploads-downloads: an object in one request. Thread-safe.
class UploadEndpoints {
 public:
  UploadEndpoints(Store& store, ResumableEndpoints& resumable) : store_(store), resumable_(resumable) {}

  /// `uploadType` media or multipart stores an object at once; resumable starts a session.
  ApiResult<HttpResponse> Insert(const ApiCall& call) const;

 private:
  Store& store_;
  ResumableEndpoints& resumable_;
};

}  // namespace gcsflux::emulator
