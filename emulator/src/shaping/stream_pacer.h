#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "gcsflux/emulator/clock.h"
#include "gcsflux/emulator/shaping.h"
#include "shaping/live_shaping.h"
#include "shaping/pacer.h"

namespace gcsflux::emulator {

/// Splits one stream into slices and says when each may go. The stream's own rate and that of its bucket, which it
/// shares, decide. One thread.
class StreamPacer {
 public:
  /// `shaping` must outlive it.
  StreamPacer(LiveShaping& shaping, Direction direction, const std::string& bucket);
  ~StreamPacer();
  StreamPacer(const StreamPacer&) = delete;
  StreamPacer& operator=(const StreamPacer&) = delete;

  struct Slice {
    std::size_t bytes = 0;
    Clock::Time at = {};  ///< From then on.
  };
  /// The next slice of a stream that has `left` bytes more. `left` is not 0.
  Slice Take(Clock::Time now, std::size_t left);

 private:
  LiveShaping& shaping_;
  const Direction direction_;
  Pacer own_;
  const std::shared_ptr<SharedPacer> shared_;
};

}  // namespace gcsflux::emulator
