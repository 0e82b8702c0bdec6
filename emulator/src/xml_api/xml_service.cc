#include "xml_api/xml_service.h"

#include <exception>
#include <utility>

#include "http/target.h"
#include "xml_api/amz_headers.h"
#include "xml_api/xml_delete_objects.h"
#include "xml_api/xml_listing.h"

namespace gcsflux::emulator {

HttpResponse XmlService::Handle(const HttpRequest& request, RequestBody& body, const std::string& base_url,
                                RequestSubject& subject) const {
  try {
    const auto renamed = WithGoogHeaders(request);
    XmlResult<HttpResponse> response = Answer(renamed ? *renamed : request, body, base_url, subject);
    if (response && (renamed || IsSignedForS3(request))) AddAmzMetadata(response->headers);
    if (response) return *std::move(response);
    HttpResponse refusal = XmlErrorResponse(response.error());
    AddChallenge(refusal);
    return refusal;
  } catch (const std::exception&) {  // out of memory, say; the text would tell a client nothing
    return XmlErrorResponse({XmlErrorCode::kInternalError});
  }
}

XmlResult<HttpResponse> XmlService::Answer(const HttpRequest& request, RequestBody& body, const std::string& base_url,
                                           RequestSubject& subject) const {
  ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return XmlFail(XmlErrorCode::kInvalidUri, target.error().message);
  XmlResult<XmlRoute> route = FindXmlRoute(request, *target);
  if (!route) return tl::unexpected(route.error());
  subject = SubjectOf(route->operation);
  subject.bucket = route->bucket;
  subject.object = route->object;
  ApiResult<Caller> caller = authorizer_.Identify(request.headers, base_url);
  if (!caller) return tl::unexpected(ToXmlError(caller.error()));
  auto allowed = authorizer_.Check(*caller, PermissionsFor(route->operation), route->bucket, route->object);
  if (!allowed) return tl::unexpected(ToXmlError(allowed.error()));
  return Dispatch(XmlCall{.request = request,
                          .body = body,
                          .subject = subject,
                          .route = *std::move(route),
                          .query = std::move(target->query),
                          .base_url = base_url,
                          .caller = *std::move(caller)});
}

XmlResult<HttpResponse> XmlService::Dispatch(const XmlCall& call) const {
  switch (call.route.operation) {
    case XmlOperation::kListBuckets: return buckets_.List(call);
    case XmlOperation::kCreateBucket: return buckets_.Create(call);
    case XmlOperation::kHeadBucket: return buckets_.Head(call);
    case XmlOperation::kDeleteBucket: return buckets_.Delete(call);
    case XmlOperation::kGetBucketLocation: return buckets_.GetLocation(call);
    case XmlOperation::kGetBucketVersioning: return buckets_.GetVersioning(call);
    case XmlOperation::kSetBucketVersioning: return buckets_.SetVersioning(call);
    case XmlOperation::kListObjects: return ListXmlObjects(store_, call);
    case XmlOperation::kDeleteObjects: return DeleteXmlObjects(store_, call);
    case XmlOperation::kListUploads: return multipart_.ListUploads(call);
    case XmlOperation::kGetObject: return objects_.Get(call);
    case XmlOperation::kPutObject: return objects_.Put(call);
    case XmlOperation::kDeleteObject: return objects_.Delete(call);
    case XmlOperation::kInitiateUpload: return multipart_.Initiate(call);
    case XmlOperation::kPutPart: return multipart_.PutPart(call);
    case XmlOperation::kListParts: return multipart_.ListParts(call);
    case XmlOperation::kCompleteUpload: return multipart_.Complete(call);
    case XmlOperation::kAbortUpload: return multipart_.Abort(call);
  }
  return XmlFail(XmlErrorCode::kNotImplemented);
}

}  // namespace gcsflux::emulator
