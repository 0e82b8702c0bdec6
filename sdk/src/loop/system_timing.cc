#include "loop/system_timing.h"

#include <optional>
#include <random>

#include "base/leaf_stop_callback.h"
#include "base/process/owner_process.h"
#include "loop/pause.h"

namespace gcsflux::internal {
namespace {

// Enough randomness that no two threads of any processes get the same numbers.
void Seed(std::mt19937_64& generator) {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
  generator.seed(seed);
}

class RealTiming : public Timing {
 public:
  [[nodiscard]] TimePoint Now() const override { return std::chrono::steady_clock::now(); }

  [[nodiscard]] std::chrono::system_clock::time_point SystemNow() const override {
    return std::chrono::system_clock::now();
  }

  bool Wait(std::chrono::nanoseconds duration, const std::stop_token& stop) const override {
    Pause pause;
    const LeafStopCallback on_stop(stop, [&pause] { pause.Wake(); });
    pause.WaitFor(duration);
    return !stop.stop_requested();
  }

  [[nodiscard]] double Random() const override {
    // A process would otherwise repeat the numbers of its parent and its siblings.
    thread_local std::mt19937_64 generator;
    thread_local std::optional<OwnerProcess> seeded_in;
    if (!seeded_in || !seeded_in->IsCurrent()) {
      Seed(generator);
      seeded_in.emplace();
    }
    return std::uniform_real_distribution<double>(0.0, 1.0)(generator);
  }
};

}  // namespace

std::unique_ptr<Timing> SystemTiming() { return std::make_unique<RealTiming>(); }

}  // namespace gcsflux::internal
