#include "run_cases/throttling.h"

namespace gcsflux::conformance {

OrError<Response> SendUnlessThrottled(const Service& service, const Request& request) {
  constexpr std::chrono::seconds kLongestWait(16);
  auto response = service.transport.Send(request);
  for (std::chrono::seconds wait(1); response && response->status == 429 && wait <= kLongestWait; wait *= 2) {
    service.sleep(wait);
    response = service.transport.Send(request);
  }
  return response;
}

}  // namespace gcsflux::conformance
