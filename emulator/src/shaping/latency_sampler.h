#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "gcsflux/emulator/distribution.h"
#include "operations/traffic_class.h"

namespace gcsflux::emulator {

/// What distinguishes a request from others, beside its number among equal ones.
struct SampleKey {
  TrafficClass traffic_class = TrafficClass::kRead;
  std::string_view operation = {};
  std::string_view phase = {};
  std::string_view bucket = {};
  std::string_view name = {};
  std::optional<std::uint64_t> range_start = {};
};

/// Draws from distributions. The seed, the key and the number of earlier requests with that key are hashed. So a
/// request's value does not depend on others, nor on the order of threads. Thread-safe.
///
/// Remembers, until Reset(), each key that a random distribution was asked about, in about 40 bytes.
class LatencySampler {
 public:
  double Sample(const Distribution& distribution, std::uint64_t seed, const SampleKey& key);
  void Reset();

 private:
  struct Shard {
    std::mutex mutex;  // guards arrivals
    std::unordered_map<std::uint64_t, std::uint32_t> arrivals;
  };

  std::uint32_t NextArrival(std::uint64_t key);

  std::array<Shard, 16> shards_;
};

}  // namespace gcsflux::emulator
