#pragma once

#include <string>

#include "server/bucket_endpoints.h"
#include "server/http_message.h"
#include "server/object_endpoints.h"
#include "server/request_subject.h"
#include "server/resumable_endpoints.h"
#include "server/upload_endpoints.h"
#include "store/resumable_sessions.h"
#include "store/store.h"

namespace gcsflux::emulator {

/// Google Cloud Storage as a function of HTTP requests. Thread-safe.
class Service final {
 public:
  Service(Store& store, ResumableSessions& sessions)
      : buckets_(store), objects_(store), resumable_(sessions), uploads_(store, resumable_) {}

  /// Never throws: what goes wrong in here is a 500 in GCS's own shape. Says in `subject` what the request was about.
  HttpResponse Handle(const HttpRequest& request, RequestBody& body, RequestSubject& subject);

 private:
  ApiResult<HttpResponse> Answer(const HttpRequest& request, RequestBody& body, RequestSubject& subject);
  ApiResult<HttpResponse> Dispatch(const ApiCall& call);

  BucketEndpoints buckets_;
  ObjectEndpoints objects_;
  ResumableEndpoints resumable_;
  UploadEndpoints uploads_;
};

}  // namespace gcsflux::emulator
