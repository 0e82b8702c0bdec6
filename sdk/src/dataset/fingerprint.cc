#include "dataset/fingerprint.h"

#include <cstring>
#include <string_view>

#include "dataset/mix.h"

namespace gcsflux::internal {
namespace {

// Eight bytes at a time. The length distinguishes "ab" and "c" from "a" and "bc".
std::uint64_t Hashed(std::uint64_t hash, std::string_view text) {
  hash = Mix(hash ^ text.size());
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(text.size(), sizeof word);
    std::memcpy(&word, text.data(), count);
    hash = Mix(hash ^ word);
    text.remove_prefix(count);
  }
  return hash;
}

}  // namespace

void ListingHash::Add(const ListedObject& object) {
  hash_ = Hashed(hash_, object.name);
  hash_ = Mix(hash_ ^ static_cast<std::uint64_t>(object.generation));
}

std::uint64_t HashOfName(std::string_view name, std::uint64_t seed) { return Hashed(seed, name); }

ListingFingerprint FingerprintOf(const ObjectName& prefix, std::span<const ListedObject> objects) {
  ListingFingerprint fingerprint{.bucket = prefix.bucket, .prefix = prefix.name, .count = objects.size()};
  ListingHash hash;
  for (const ListedObject& object : objects) hash.Add(object);
  fingerprint.hash = hash.value();
  return fingerprint;
}

}  // namespace gcsflux::internal
