#include "quotas/quota_middleware.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/page_token.h"
#include "http/target.h"
#include "operations/known_operations.h"
#include "quotas/quota_refusal.h"

namespace gcsflux::emulator {
namespace {

// The name at which a page of a list begins.
std::string ListBegin(const HttpRequest& request) {
  const ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return "";
  std::string begin;
  for (const char* name : {"prefix", "startOffset", "marker", "start-after"}) {
    begin = std::max(begin, target->query.Value(name));
  }
  for (const char* name : {"pageToken", "continuation-token"}) {
    if (const auto position = DecodePageToken(target->query.Value(name))) begin = std::max(begin, position->text);
  }
  return begin;
}

// What the request takes from the quotas: one change of each object that it names. Nothing if no quota applies: to
// requests for a project's buckets, and to those that make or delete a bucket.
std::vector<QuotaRequest> RequestsOf(const RequestContext& context) {
  const RequestSubject& subject = context.preview.subject;
  const std::optional<TrafficClass> traffic_class = ClassOf(subject.operation, subject.phase);
  if (!traffic_class || subject.bucket.empty()) return {};
  const bool is_write = *traffic_class != TrafficClass::kRead && *traffic_class != TrafficClass::kList;
  const bool is_about_bucket = subject.operation.starts_with("storage.buckets.");
  if (subject.operation == "storage.buckets.insert" || subject.operation == "storage.buckets.delete") {
    return {};
  }
  QuotaRequest request{
      .is_write = is_write,
      .updates_bucket = is_about_bucket && is_write,
      .mutates_object = MutatesObject(subject.operation, subject.phase),
      .sends_media = context.preview.is_media_read,
      .bucket = subject.bucket,
      .name = *traffic_class == TrafficClass::kList ? ListBegin(context.request) : subject.object,
  };
  std::vector<QuotaRequest> changes;
  for (const std::string& name : context.preview.deleted) {
    request.name = name;
    changes.push_back(request);
  }
  if (changes.empty()) changes.push_back(std::move(request));
  return changes;
}

// For bodies of unknown length.
class EgressMeter final : public BodyFilter {
 public:
  explicit EgressMeter(LiveQuotas& quotas) : quotas_(quotas) {}
  bool Write(std::span<const std::byte> bytes, const ResponseSink& next) override {
    quotas_.ChargeEgress(bytes.size());
    return next(bytes);
  }

 private:
  LiveQuotas& quotas_;
};

class QuotaInterceptor final : public Interceptor {
 public:
  QuotaInterceptor(LiveQuotas& quotas, std::vector<QuotaRequest> requests)
      : quotas_(quotas), requests_(std::move(requests)) {}

  std::optional<HttpResponse> Before(const RequestContext& context) override {
    const QuotaVerdict verdict = quotas_.Admit(requests_);
    if (verdict.refused_by) return QuotaRefusal(verdict, requests_[verdict.refused], context.preview.is_xml);
    is_admitted_ = true;
    if (verdict.delay.count() != 0) context.clock.WaitUntil(context.clock.Now() + verdict.delay, context.stop);
    return std::nullopt;
  }

  void After(HttpResponse& response, const RequestSubject& /*subject*/, const RequestContext& /*context*/) override {
    if (!is_admitted_ || !requests_.front().sends_media || response.status >= 300) return;
    if (const auto* rope = std::get_if<Rope>(&response.body)) quotas_.ChargeEgress(rope->size());
    if (!std::holds_alternative<BodyProducer>(response.body)) return;
    response.filters.push_back(std::make_shared<EgressMeter>(quotas_));
  }

 private:
  LiveQuotas& quotas_;
  const std::vector<QuotaRequest> requests_;
  bool is_admitted_ = false;
};

}  // namespace

void QuotaMiddleware::Intercept(const RequestContext& context, Interceptors& interceptors) {
  if (!quotas_.is_on()) return;
  std::vector<QuotaRequest> requests = RequestsOf(context);
  if (requests.empty()) return;
  interceptors.push_back(std::make_unique<QuotaInterceptor>(quotas_, std::move(requests)));
}

}  // namespace gcsflux::emulator
