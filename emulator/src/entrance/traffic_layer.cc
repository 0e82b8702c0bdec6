#include "entrance/traffic_layer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "bodies/peeked_body.h"
#include "entrance/preview_request.h"

namespace gcsflux::emulator {
namespace {

// The service's answer, or that of the first intervention that answers instead.
HttpResponse Serve(FirstAnswers& service, const FingerprintedBody& sent, RequestBody& body, const Passage& passage,
                   const Interventions& interventions, RequestSubject& subject) {
  for (const auto& intervention : interventions) {
    if (auto answer = intervention->Before(passage)) {
      subject = passage.preview.subject;
      return *std::move(answer);
    }
  }
  std::vector<std::unique_ptr<RequestBody>> wrappers;
  RequestBody* outermost = &body;
  for (const auto& intervention : interventions) {
    if (auto wrapper = intervention->Wrap(*outermost, passage)) {
      outermost = wrapper.get();
      wrappers.push_back(std::move(wrapper));
    }
  }
  return service.Handle(passage.request, sent, *outermost, subject);
}

}  // namespace

HttpResponse TrafficLayer::Handle(const HttpRequest& request, RequestBody& body, RequestSubject& subject) {
  const bool is_concerned = std::any_of(interveners_.begin(), interveners_.end(),
                                        [&](const Intervener* intervener) { return intervener->Concerns(request); });
  FingerprintedBody sent(body, request);
  return is_concerned ? HandleWithInterventions(request, sent, subject) : service_.Handle(request, sent, sent, subject);
}

HttpResponse TrafficLayer::HandleWithInterventions(const HttpRequest& request, FingerprintedBody& sent,
                                                   RequestSubject& subject) {
  PeekedBody peeked(sent);
  const RequestPreview preview = PreviewRequest(request, peeked, sessions_);
  const std::stop_token stop = stop_.get_token();
  const Passage passage{request, preview, sessions_, clock_, stop};
  Interventions interventions;
  for (Intervener* intervener : interveners_) intervener->Intervene(passage, interventions);
  HttpResponse response = Serve(service_, sent, peeked, passage, interventions, subject);
  for (const auto& intervention : interventions) intervention->After(response, subject, passage);
  subject.faults = passage.fired;
  return response;
}

}  // namespace gcsflux::emulator
