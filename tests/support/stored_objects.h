#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux::testing {

inline std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::string RandomBytes(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

/// An emulator that stores objects of random bytes, and a client with short retries.
class StoredObjects : public ::testing::Test {
 protected:
  static constexpr auto kBucket = "bkt";

  StoredObjects() { EXPECT_TRUE(client_.InsertBucket(kBucket).ok()); }

  [[nodiscard]] Client MakeClient(std::uint64_t max_undelivered_bytes) const {
    return *Client::Create({.endpoint = emulator_.endpoint(),
                            .project = "p",
                            .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1),
                                                         .max_delay = std::chrono::milliseconds(4)}),
                            .max_undelivered_bytes = max_undelivered_bytes});
  }

  /// An object of these bytes; the i-th is named "object i".
  DownloadSource Put(std::string bytes, const InsertObjectOptions& options = {}) {
    const std::string name = "object " + std::to_string(contents_.size());
    const auto stored = client_.InsertObject({kBucket, name}, AsBytes(bytes), options);
    EXPECT_TRUE(stored.ok()) << stored.error().message;
    contents_.push_back(std::move(bytes));
    return DownloadSources(std::span(&*stored, 1)).front();
  }

  /// Objects of these sizes; contents_ has their bytes in the same order.
  std::vector<DownloadSource> Store(const std::vector<std::size_t>& sizes) {
    std::vector<DownloadSource> sources;
    sources.reserve(sizes.size());
    for (const std::size_t size : sizes) sources.push_back(Put(RandomBytes(size, contents_.size())));
    return sources;
  }

  /// Reads of objects that have arrived.
  [[nodiscard]] std::size_t Reads() const {
    std::size_t reads = 0;
    for (const auto& request : emulator_.journal()) reads += request.operation == "storage.objects.get" ? 1 : 0;
    return reads;
  }

  /// Each match stalls for an hour of the emulator's time, which does not pass.
  void Stall(emulator::FaultMatch match, std::optional<std::uint64_t> after_bytes = {}) {
    match.operation = "storage.objects.get";
    emulator_.clock().Freeze();
    emulator_.faults().Load(
        {.rules = {{.name = "stall",
                    .match = match,
                    .action = {.type = "stall", .after_bytes = after_bytes, .duration = std::chrono::hours(1)}}}});
  }

  std::vector<std::string> contents_;
  emulator::Emulator emulator_;
  Client client_ = MakeClient(1 << 20);
};

}  // namespace gcsflux::testing
