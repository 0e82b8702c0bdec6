#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "gcsflux/emulator/faults.h"

namespace gcsflux::emulator {

/// The name and the action of a rule, shared by all requests that meet it.
struct NamedAction {
  std::string rule = {};
  FaultAction action = {};
};

/// Which requests arrived since a plan was loaded, and which faults fired for them. Thread-safe. Takes some 40 bytes
/// per key.
class FaultHistory {
 public:
  /// An emulator that runs for weeks must not grow with each name that it is asked for.
  static constexpr std::size_t kMaxKeys = 1'000'000;

  /// Counts the request; returns its number among those of the same key, from 1. A key that comes after kMaxKeys others
  /// is not counted: each of its requests is the first.
  std::uint64_t Arrive(const FaultKey& key);

  void Add(FaultKey key, std::shared_ptr<const NamedAction> action);
  [[nodiscard]] std::vector<FiredFault> Schedule() const;

 private:
  struct Entry {
    FaultKey key = {};
    std::shared_ptr<const NamedAction> action = {};
  };

  mutable std::mutex mutex_;                                   // guards what follows
  std::unordered_map<std::uint64_t, std::uint64_t> arrivals_;  // by HashKey()
  std::vector<Entry> schedule_;
};

}  // namespace gcsflux::emulator
