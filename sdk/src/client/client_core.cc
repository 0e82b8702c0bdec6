#include "client/client_core.h"

#include "base/version.h"
#include "wire/error_response.h"

namespace gcsflux {

using internal::Attempts;
using internal::BodyReceiver;
using internal::Call;
using internal::HttpRequest;
using internal::HttpResponse;

Result<HttpResponse> ClientCore::SendRaw(const HttpRequest& request, const std::string& invocation_id,
                                         const Attempts& attempts, const std::stop_token& stop,
                                         BodyReceiver* receiver) const {
  HttpRequest complete = request;
  if (!settings_.access_token.empty()) {
    complete.headers.emplace_back("Authorization", "Bearer " + settings_.access_token);
  }
  complete.headers.emplace_back("x-goog-api-client", std::string("gl-cpp/20 gccl/") + internal::kVersion +
                                                         " gccl-invocation-id/" + invocation_id +
                                                         " gccl-attempt-count/" + std::to_string(attempts.number()));
  return transport_->Perform(complete, receiver, stop);
}

Result<HttpResponse> ClientCore::Send(const HttpRequest& request, const std::string& invocation_id,
                                      const Attempts& attempts, const std::stop_token& stop,
                                      BodyReceiver* receiver) const {
  auto response = SendRaw(request, invocation_id, attempts, stop, receiver);
  if (response.ok() && response->status >= 300) return internal::ErrorFromResponse(*response);
  return response;
}

Result<HttpResponse> ClientCore::Exchange(const Call& call, const HttpRequest& request) const {
  const std::string invocation_id = NewInvocationId();
  return Retry(call, [&](Attempts& attempts) { return Send(request, invocation_id, attempts, call.stop); });
}

std::string ClientCore::NewInvocationId() const {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";  // RFC 4122, version 4
  constexpr char kHex[] = "0123456789abcdef";
  std::string id(kForm);
  for (char& c : id) {
    if (c == 'x') c = kHex[static_cast<std::size_t>(timing_->Random() * 16)];
  }
  return id;
}

}  // namespace gcsflux
