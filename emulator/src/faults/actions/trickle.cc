// The bodies of a request and of its answer arrive in drops.

#include <algorithm>
#include <memory>
#include <stop_token>
#include <utility>

#include "faults/actions/action_kinds.h"

namespace gcsflux::emulator {
namespace {

// When how many bytes may have passed, in one direction of one request.
class Drip {
 public:
  Drip(std::uint64_t bytes_per_second, const RequestContext& context)
      : rate_(bytes_per_second), clock_(context.clock), stop_(context.stop) {}

  /// How many bytes pass at once: 50 ms of the rate.
  [[nodiscard]] std::size_t drop() const { return static_cast<std::size_t>(std::max<std::uint64_t>(rate_ / 20, 1)); }

  /// Waits until `bytes` more may have passed. Returns false if the emulator stops.
  bool Pass(std::uint64_t bytes) {
    if (passed_ == 0) begin_ = clock_.Now();
    passed_ += bytes;
    const std::chrono::nanoseconds behind(passed_ % rate_ * 1'000'000'000 / rate_);
    return clock_.WaitUntil(begin_ + std::chrono::seconds(passed_ / rate_) + behind, stop_);
  }

 private:
  const std::uint64_t rate_;
  const Clock& clock_;
  const std::stop_token stop_;
  Clock::Time begin_ = {};
  std::uint64_t passed_ = 0;
};

class TrickleFilter final : public BodyFilter {
 public:
  TrickleFilter(std::uint64_t bytes_per_second, std::shared_ptr<Firing> firing, const RequestContext& context)
      : drip_(bytes_per_second, context), firing_(std::move(firing)) {}

  bool Write(std::span<const std::byte> bytes, const ResponseSink& next) override {
    if (bytes.empty() || !firing_->Fire()) return next(bytes);
    if (!next({})) return false;  // the head does not wait
    while (!bytes.empty()) {
      const std::span<const std::byte> drop = bytes.first(std::min(drip_.drop(), bytes.size()));
      if (!drip_.Pass(drop.size()) || !next(drop)) return false;
      bytes = bytes.subspan(drop.size());
    }
    return true;
  }

 private:
  Drip drip_;
  const std::shared_ptr<Firing> firing_;
};

class TricklingBody final : public RequestBody {
 public:
  TricklingBody(RequestBody& body, std::uint64_t bytes_per_second, Firing& firing, const RequestContext& context)
      : body_(body), drip_(bytes_per_second, context), firing_(firing) {}
  ~TricklingBody() override {
    if (is_slow_) body_.LimitUnderWay(0);
  }
  TricklingBody(const TricklingBody&) = delete;
  TricklingBody& operator=(const TricklingBody&) = delete;

  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return body_.announced_size(); }
  [[nodiscard]] bool is_overdue() const override { return body_.is_overdue(); }
  [[nodiscard]] std::optional<std::uint64_t> keeps_at_most() const override { return body_.keeps_at_most(); }
  void LimitUnderWay(std::size_t bytes) override { body_.LimitUnderWay(bytes); }
  std::optional<std::size_t> Read(std::span<std::byte> into) override {
    const std::optional<std::size_t> read = body_.Read(into.first(std::min(into.size(), drip_.drop())));
    if (!read || *read == 0 || !firing_.Fire()) return read;
    // The client must see it, not only the buffers that fill up.
    if (!std::exchange(is_slow_, true)) body_.LimitUnderWay(drip_.drop());
    return drip_.Pass(*read) ? read : std::nullopt;
  }

 private:
  RequestBody& body_;
  Drip drip_;
  Firing& firing_;
  bool is_slow_ = false;
};

class Trickle final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 1> kRequired = {"bytesPerSecond"};

  Trickle(const FaultAction& action, std::shared_ptr<Firing> firing)
      : bytes_per_second_(*action.bytes_per_second), firing_(std::move(firing)) {}

  std::unique_ptr<RequestBody> Wrap(RequestBody& body, const RequestContext& context) override {
    return std::make_unique<TricklingBody>(body, bytes_per_second_, *firing_, context);
  }

  void After(HttpResponse& response, const RequestSubject& /*subject*/, const RequestContext& context) override {
    response.filters.push_back(std::make_shared<TrickleFilter>(bytes_per_second_, firing_, context));
  }

 private:
  const std::uint64_t bytes_per_second_;
  const std::shared_ptr<Firing> firing_;
};

}  // namespace

const ActionKind kTrickle = {.type = "trickle", .required = Trickle::kRequired, .make = &MakeA<Trickle>};

}  // namespace gcsflux::emulator
