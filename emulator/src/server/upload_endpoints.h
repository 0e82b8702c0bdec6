#pragma once

#include "server/api_call.h"
#include "store/store.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/uploads-downloads. Thread-safe.
class UploadEndpoints {
 public:
  explicit UploadEndpoints(Store& store) : store_(store) {}

  /// `uploadType` media or multipart stores an object at once; resumable starts a session.
  ApiResult<HttpResponse> Insert(const ApiCall& call) const;

 private:
  struct Upload;
  [[nodiscard]] ApiResult<HttpResponse> InsertMedia(const ApiCall& call, Upload upload) const;
  [[nodiscard]] ApiResult<HttpResponse> InsertMultipart(const ApiCall& call, Upload upload) const;
  static ApiResult<HttpResponse> Commit(const ApiCall& call, Upload upload, Rope bytes);

  Store& store_;
};

}  // namespace gcsflux::emulator
