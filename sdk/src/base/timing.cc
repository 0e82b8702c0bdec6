#include "base/timing.h"

#include <condition_variable>
#include <mutex>
#include <random>

#include "base/for_ever.h"

namespace gcsflux::internal {
namespace {

class RealTiming : public Timing {
 public:
  [[nodiscard]] TimePoint Now() const override { return std::chrono::steady_clock::now(); }

  [[nodiscard]] std::chrono::system_clock::time_point SystemNow() const override {
    return std::chrono::system_clock::now();
  }

  bool Wait(std::chrono::nanoseconds duration, const std::stop_token& stop) const override {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, InNanoseconds(duration), [] { return false; });
    return !stop.stop_requested();
  }

  [[nodiscard]] double Random() const override {
    thread_local std::mt19937_64 generator{std::random_device{}()};
    return std::uniform_real_distribution<double>(0.0, 1.0)(generator);
  }
};

}  // namespace

std::unique_ptr<Timing> SystemTiming() { return std::make_unique<RealTiming>(); }

}  // namespace gcsflux::internal
