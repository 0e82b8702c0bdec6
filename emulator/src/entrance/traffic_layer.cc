#include "entrance/traffic_layer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "bodies/peeked_body.h"
#include "entrance/preview_request.h"

namespace gcsflux::emulator {
namespace {

// The service's answer, or that of the first interceptor that answers instead.
HttpResponse Serve(FirstAnswers& service, const FingerprintedBody& sent, RequestBody& body,
                   const RequestContext& context, const Interceptors& interceptors, RequestSubject& subject) {
  for (const auto& interceptor : interceptors) {
    if (auto answer = interceptor->Before(context)) {
      subject = context.preview.subject;
      return *std::move(answer);
    }
  }
  std::vector<std::unique_ptr<RequestBody>> wrappers;
  RequestBody* outermost = &body;
  for (const auto& interceptor : interceptors) {
    if (auto wrapper = interceptor->Wrap(*outermost, context)) {
      outermost = wrapper.get();
      wrappers.push_back(std::move(wrapper));
    }
  }
  return service.Handle(context.request, sent, *outermost, subject);
}

}  // namespace

HttpResponse TrafficLayer::Handle(const HttpRequest& request, RequestBody& body, RequestSubject& subject) {
  const bool is_concerned = std::any_of(middleware_.begin(), middleware_.end(),
                                        [&](const Middleware* middleware) { return middleware->Concerns(request); });
  FingerprintedBody sent(body, request);
  return is_concerned ? HandleWithInterceptors(request, sent, subject) : service_.Handle(request, sent, sent, subject);
}

HttpResponse TrafficLayer::HandleWithInterceptors(const HttpRequest& request, FingerprintedBody& sent,
                                                  RequestSubject& subject) {
  PeekedBody peeked(sent);
  const RequestPreview preview = PreviewRequest(request, peeked, sessions_);
  const std::stop_token stop = stop_.get_token();
  const RequestContext context{request, preview, sessions_, clock_, stop};
  Interceptors interceptors;
  for (Middleware* middleware : middleware_) middleware->Intercept(context, interceptors);
  HttpResponse response = Serve(service_, sent, peeked, context, interceptors, subject);
  for (const auto& interceptor : interceptors) interceptor->After(response, subject, context);
  subject.faults = context.fired;
  return response;
}

}  // namespace gcsflux::emulator
