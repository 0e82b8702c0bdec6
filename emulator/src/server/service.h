#pragma once

#include <string>

#include "server/bucket_endpoints.h"
#include "server/http_message.h"
#include "server/object_endpoints.h"
#include "server/upload_endpoints.h"
#include "store/store.h"

namespace gcsflux::emulator {

/// Google Cloud Storage as a function of HTTP requests. Thread-safe.
class Service final : public RequestHandler {
 public:
  explicit Service(Store& store) : buckets_(store), objects_(store), uploads_(store) {}

  /// Never throws: what goes wrong in here is a 500 in GCS's own shape.
  HttpResponse Handle(const HttpRequest& request, RequestBody& body) override;

 private:
  ApiResult<HttpResponse> Answer(const HttpRequest& request, RequestBody& body);
  ApiResult<HttpResponse> Dispatch(const ApiCall& call);

  BucketEndpoints buckets_;
  ObjectEndpoints objects_;
  UploadEndpoints uploads_;
};

}  // namespace gcsflux::emulator
