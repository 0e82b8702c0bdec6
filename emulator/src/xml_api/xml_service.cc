#include "xml_api/xml_service.h"

#include <exception>
#include <utility>

#include "http/error_answer.h"
#include "http/target.h"
#include "xml_api/amz_headers.h"
#include "xml_api/xml_router.h"

namespace gcsflux::emulator {

// Who sends a request, and by which name they know the emulator.
struct XmlService::Sender {
  std::string base_url = {};
  ApiResult<Caller> caller = {};
};

HttpResponse XmlService::Handle(const HttpRequest& request, RequestBody& body, const std::string& base_url,
                                RequestSubject& subject) const {
  try {
    const auto renamed = WithGoogHeaders(request);
    const ApiResult<Caller> caller = authorizer_.IdentifySigner(request, base_url);
    XmlResult<HttpResponse> response = Answer(renamed ? *renamed : request, body, {base_url, caller}, subject);
    if (response && (renamed || IsSignedForS3(request))) AddAmzMetadata(response->headers);
    if (response) return *std::move(response);
    HttpResponse refusal = XmlErrorResponse(response.error());
    AddChallenge(refusal);
    return refusal;
  } catch (const std::exception&) {
    return ErrorAnswer(/*is_xml=*/true, CaughtError());
  }
}

XmlResult<HttpResponse> XmlService::Answer(const HttpRequest& request, RequestBody& body, const Sender& sender,
                                           RequestSubject& subject) const {
  ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return XmlFail(XmlErrorCode::kInvalidUri, target.error().message);
  XmlResult<XmlRoute> route = FindXmlRoute(request, *target);
  if (!route) return tl::unexpected(route.error());
  const XmlOperation& operation = *route->operation;
  subject = SubjectOf(*route);
  if (auto known = CheckConditionNames(request.headers); IsChange(operation) && !known) {
    return tl::unexpected(known.error());
  }
  const ApiResult<Caller>& caller = sender.caller;
  if (!caller) return tl::unexpected(ToXmlError(caller.error()));
  const ObjectPlace place = {route->bucket, route->object, ReadGeneration(target->query).value_or(std::nullopt)};
  auto allowed = authorizer_.Check(*caller, operation.needs, place);
  if (!allowed) return tl::unexpected(ToXmlError(allowed.error()));
  const XmlCall call{.request = request,
                     .body = body,
                     .subject = subject,
                     .route = *std::move(route),
                     .query = std::move(target->query),
                     .base_url = sender.base_url,
                     .caller = *caller};
  return operation.handler(endpoints_, call);
}

}  // namespace gcsflux::emulator
