#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "gcsflux/emulator/clock.h"
#include "gcsflux/emulator/faults.h"
#include "middleware/interceptor.h"

namespace gcsflux::emulator {

struct LoadedPlan;

/// The faults that requests meet. Thread-safe.
class FaultEngine final : public Faults, public Middleware {
 public:
  /// `clock` must outlive it. Throws std::invalid_argument if the plan is wrong.
  explicit FaultEngine(const Clock& clock, FaultPlan plan = {});
  ~FaultEngine() override;

  void Load(FaultPlan plan) override;
  void Add(FaultRule rule) override;
  void Clear() override { Load({}); }
  void Replay(std::vector<FiredFault> schedule) override { Load({.replay = std::move(schedule)}); }
  [[nodiscard]] FaultPlan Plan() const override;
  [[nodiscard]] std::vector<FaultCount> Counts() const override;
  [[nodiscard]] std::uint64_t Fired(std::string_view rule) const override;
  [[nodiscard]] std::vector<FiredFault> Schedule() const override;

  [[nodiscard]] bool Concerns(const HttpRequest& /*request*/) const override {
    return is_active_.load(std::memory_order_relaxed);
  }
  void Intercept(const RequestContext& context, Interceptors& interceptors) override;

 private:
  [[nodiscard]] std::shared_ptr<const LoadedPlan> plan() const;

  const Clock& clock_;
  std::atomic<bool> is_active_ = false;  // whether there are rules, or a replay
  mutable std::mutex mutex_;             // guards what follows
  std::shared_ptr<const LoadedPlan> plan_;
};

}  // namespace gcsflux::emulator
