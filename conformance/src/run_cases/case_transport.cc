#include "run_cases/case_transport.h"

namespace gcsflux::conformance {
namespace {

std::string Shortened(const std::string& body) {
  constexpr std::size_t kMost = CaseRecord::kMostBodyBytes;
  return body.size() <= kMost ? body : body.substr(0, kMost) + "... (" + std::to_string(body.size()) + " bytes)";
}

Request Shortened(const Request& request) {
  Request shortened{.method = request.method, .target = request.target, .headers = request.headers};
  if (request.body) shortened.body = Shortened(*request.body);
  return shortened;
}

}  // namespace

void CaseRecord::BeginCleaning() {
  const std::scoped_lock lock(mutex_);
  is_cleaning_ = true;
  requests_ = 0;
}

std::string CaseRecord::WhyNoMore() {
  const std::scoped_lock lock(mutex_);
  if (++requests_ > kMostRequests) return "more than " + std::to_string(kMostRequests) + " requests: it does not end";
  if (!budget_.Take() && !is_cleaning_) return "the run has sent --max_requests";
  return "";
}

void CaseRecord::Add(const Request& request, const OrError<Response>& response) {
  const std::scoped_lock lock(mutex_);
  if (is_cleaning_) return;
  if (exchanges_.size() == kMostExchanges) exchanges_.erase(exchanges_.begin());
  Exchange exchange{.request = Shortened(request)};
  if (response) {
    exchange.response = {.status = response->status, .headers = response->headers, .body = Shortened(response->body)};
  } else {
    exchange.error = response.error();
  }
  exchanges_.push_back(std::move(exchange));
}

std::vector<Exchange> CaseRecord::exchanges() const {
  const std::scoped_lock lock(mutex_);
  return exchanges_;
}

OrError<Response> CaseTransport::Send(const Request& request) {
  if (const std::string why = record_.WhyNoMore(); !why.empty()) return Failed(why);
  auto response = below_.Send(request);
  record_.Add(request, response);
  return response;
}

}  // namespace gcsflux::conformance
