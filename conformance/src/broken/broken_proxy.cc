#include "broken/broken_proxy.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <memory>

#include "http/curl_transport.h"

namespace gcsflux::conformance {
namespace {

Response Forward(Transport& upstream, Request request) {
  // The transport writes these by itself.
  std::erase_if(request.headers, [](const auto& header) {
    constexpr std::array kNames = {"Content-Length", "Transfer-Encoding", "Connection", "Expect"};
    return std::any_of(kNames.begin(), kNames.end(),
                       [&](const char* name) { return strcasecmp(name, header.first.c_str()) == 0; });
  });
  const auto response = upstream.Send(request);
  return response ? *response : Response{.status = 502, .body = response.error()};
}

bool AreEqual(const Response& one, const Response& other) {
  return one.status == other.status && one.headers == other.headers && one.body == other.body;
}

bool AreEqual(const Request& one, const Request& other) {
  return one.target == other.target && one.headers == other.headers && one.body == other.body;
}

}  // namespace

BrokenProxy::BrokenProxy(std::string upstream, const Defect* defect)
    : upstream_(std::move(upstream)), defect_(defect), server_([this]() -> SmallServer::Handler {
        const auto transport = std::make_shared<CurlTransport>(upstream_, "");
        return [this, transport](const Request& request) { return Answer(*transport, request); };
      }) {}

Response BrokenProxy::Answer(Transport& upstream, const Request& request) {
  if (defect_ == nullptr || !IsAbout(defect_->match, request)) return Forward(upstream, request);
  return AnswerWrongly(upstream, request);
}

Response BrokenProxy::AnswerWrongly(Transport& upstream, const Request& request) {
  const Request changed = Changed(request, defect_->request);
  if (!AreEqual(changed, request)) ++fired_;
  if (defect_->effect == DefectEffect::kNotDone) {
    ++fired_;
    return Changed(Response{.status = 200}, defect_->answer);
  }
  if (defect_->effect == DefectEffect::kStale) {
    const std::scoped_lock lock(mutex_);
    const auto found = first_answers_.find(request.method + " " + request.target);
    if (found != first_answers_.end()) return Count({}, found->second);
  }
  if (defect_->effect == DefectEffect::kTwice) {
    ++fired_;
    Forward(upstream, changed);
  }
  Response right = Forward(upstream, changed);
  if (!IsAboutStatus(defect_->match, right.status)) return right;
  if (defect_->effect == DefectEffect::kStale && right.status == 200) {
    const std::scoped_lock lock(mutex_);
    first_answers_[request.method + " " + request.target] = right;
  }
  return Count(right, Changed(right, defect_->answer));
}

Response BrokenProxy::Count(const Response& right, Response wrong) {
  if (!AreEqual(right, wrong)) ++fired_;
  return wrong;
}

}  // namespace gcsflux::conformance
