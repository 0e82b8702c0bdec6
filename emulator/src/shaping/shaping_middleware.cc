#include "shaping/shaping_middleware.h"

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "operations/known_operations.h"
#include "shaping/paced_bodies.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::nanoseconds;

const Distribution& FirstByteOf(const Shaping& shaping, TrafficClass traffic_class) {
  switch (traffic_class) {
    case TrafficClass::kRead: return shaping.read_first_byte_ms;
    case TrafficClass::kWrite: return shaping.write_first_byte_ms;
    case TrafficClass::kList: return shaping.list_first_byte_ms;
    case TrafficClass::kCompose: return shaping.compose_first_byte_ms;
    case TrafficClass::kDelete: return shaping.delete_first_byte_ms;
  }
  return shaping.read_first_byte_ms;
}

nanoseconds Microseconds(double count) { return nanoseconds(std::llround(count * 1e3)); }

class ShapingInterceptor final : public Interceptor {
 public:
  ShapingInterceptor(LiveShaping& shaping, nanoseconds first_byte, double list_item_us)
      : shaping_(shaping), first_byte_(first_byte), list_item_us_(list_item_us) {}

  // Called for requests that are served. From then on the request is under way.
  std::unique_ptr<RequestBody> Wrap(RequestBody& body, const RequestContext& context) override {
    received_at_ = context.clock.Now();
    if (body.announced_size() == 0U) return nullptr;
    return std::make_unique<PacedRequest>(body, shaping_, context.preview.subject.bucket, context.clock, context.stop,
                                          *received_at_);
  }

  void After(HttpResponse& response, const RequestSubject& subject, const RequestContext& context) override {
    if (!received_at_) return;
    const nanoseconds items = Microseconds(list_item_us_ * static_cast<double>(subject.listed_items));
    context.clock.WaitUntil(*received_at_ + first_byte_ + items, context.stop);
    if (!context.preview.is_media_read || response.status >= 300) return;
    response.filters.push_back(std::make_shared<PacedResponse>(shaping_, subject.bucket, context.clock, context.stop));
  }

 private:
  LiveShaping& shaping_;
  const nanoseconds first_byte_;
  const double list_item_us_;
  std::optional<Clock::Time> received_at_;
};

}  // namespace

void ShapingMiddleware::Intercept(const RequestContext& context, Interceptors& interceptors) {
  if (!shaping_.is_on()) return;
  const RequestPreview& preview = context.preview;
  const std::optional<TrafficClass> traffic_class = ClassOf(preview.subject.operation, preview.subject.phase);
  if (!traffic_class) return;
  const std::shared_ptr<const Shaping> shaping = shaping_.Read();
  const double first_byte_ms = shaping_.sampler().Sample(FirstByteOf(*shaping, *traffic_class), shaping->seed,
                                                         {.traffic_class = *traffic_class,
                                                          .operation = preview.subject.operation,
                                                          .phase = preview.subject.phase,
                                                          .bucket = preview.subject.bucket,
                                                          .name = preview.subject.object,
                                                          .range_start = preview.range_start});
  interceptors.push_back(
      std::make_unique<ShapingInterceptor>(shaping_, Microseconds(first_byte_ms * 1e3), shaping->list_item_us));
}

}  // namespace gcsflux::emulator
