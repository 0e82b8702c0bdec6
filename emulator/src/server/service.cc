#include "server/service.h"

#include <exception>
#include <utility>

#include "server/json_error.h"
#include "server/operation_name.h"

namespace gcsflux::emulator {

HttpResponse Service::Handle(const HttpRequest& request, RequestBody& body, RequestSubject& subject) {
  try {
    ApiResult<HttpResponse> response = Answer(request, body, subject);
    return response ? *std::move(response) : ErrorResponse(response.error());
  } catch (const std::exception&) {  // out of memory, say; the text would tell a client nothing
    return ErrorResponse(ApiError{500, "backendError", "Internal error encountered."});
  }
}

ApiResult<HttpResponse> Service::Answer(const HttpRequest& request, RequestBody& body, RequestSubject& subject) {
  ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return tl::unexpected(target.error());
  ApiResult<Route> route = FindRoute(request.method, target->segments);
  if (!route) return tl::unexpected(route.error());
  subject = {.operation = OperationName(route->operation), .bucket = route->bucket, .object = route->object};
  ApiResult<FieldMask> fields = FieldMask();
  if (const std::string mask = target->query.Value("fields"); !mask.empty()) fields = FieldMask::Parse(mask);
  if (!fields) return tl::unexpected(fields.error());
  const std::string* host = request.headers.Find("host");
  return Dispatch(ApiCall{.request = request,
                          .body = body,
                          .subject = subject,
                          .route = *std::move(route),
                          .query = std::move(target->query),
                          .fields = *std::move(fields),
                          .base_url = "http://" + (host != nullptr ? *host : std::string("storage.googleapis.com"))});
}

ApiResult<HttpResponse> Service::Dispatch(const ApiCall& call) {
  switch (call.route.operation) {
    case Operation::kListBuckets: return buckets_.List(call);
    case Operation::kInsertBucket: return buckets_.Insert(call);
    case Operation::kGetBucket: return buckets_.Get(call);
    case Operation::kDeleteBucket: return buckets_.Delete(call);
    case Operation::kListObjects: return objects_.List(call);
    case Operation::kGetObject: return objects_.Get(call);
    case Operation::kDownloadObject: return objects_.Download(call);
    case Operation::kPatchObject: return objects_.Patch(call);
    case Operation::kDeleteObject: return objects_.Delete(call);
    case Operation::kComposeObject: return objects_.Compose(call);
    case Operation::kInsertObject: return uploads_.Insert(call);
    case Operation::kUploadChunk: return resumable_.Put(call);
    case Operation::kCancelUpload: return resumable_.Cancel(call);
  }
  return tl::unexpected(ApiError{404, "notFound", "Not Found"});
}

}  // namespace gcsflux::emulator
