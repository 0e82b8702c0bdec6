#include "shaping/latency_sampler.h"

#include "base/mix.h"

namespace gcsflux::emulator {
namespace {

// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/): the same on every machine, unlike std::hash.
std::uint64_t HashText(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

std::uint64_t HashKey(const SampleKey& key) {
  std::uint64_t hash = Mix(static_cast<std::uint64_t>(key.traffic_class));
  for (const std::string_view text : {key.operation, key.phase, key.bucket, key.name}) hash = Mix(hash, HashText(text));
  return Mix(hash, key.range_start ? *key.range_start + 1 : 0);
}

}  // namespace

double LatencySampler::Sample(const Distribution& distribution, std::uint64_t seed, const SampleKey& key) {
  if (distribution.is_fixed()) return distribution.Quantile(0.5);
  const std::uint64_t hash = HashKey(key);
  const std::uint64_t random = Mix(Mix(seed, hash), NextArrival(hash));
  return distribution.Quantile((static_cast<double>(random >> 11) + 0.5) * 0x1p-53);
}

void LatencySampler::Reset() {
  for (Shard& shard : shards_) {
    const std::scoped_lock lock(shard.mutex);
    shard.arrivals.clear();
  }
}

std::uint32_t LatencySampler::NextArrival(std::uint64_t key) {
  Shard& shard = shards_[key % shards_.size()];
  const std::scoped_lock lock(shard.mutex);
  return shard.arrivals[key]++;
}

}  // namespace gcsflux::emulator
