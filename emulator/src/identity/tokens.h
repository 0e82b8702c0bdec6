#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/time_source.h"

namespace gcsflux::emulator {

/// Who sent a request, and what the credential is valid for.
struct Principal {
  std::string name = {};    ///< An email address, or a "principal://..." of a workload identity pool.
  std::string scopes = {};  ///< Separated by spaces.
};

struct AccessToken {
  std::string text = {};
  Time expires = {};
  std::chrono::seconds lifetime{0};
};

/// The access tokens that were issued. They are random and opaque, and stay in memory until they expire. Thread-safe.
class Tokens {
 public:
  explicit Tokens(TimeSource clock) : clock_(std::move(clock)) {}

  /// Throws std::runtime_error if the system has no randomness.
  AccessToken Issue(Principal principal, std::chrono::seconds lifetime);
  /// Nothing if it was never issued, or has expired.
  [[nodiscard]] std::optional<Principal> Find(std::string_view text) const;

 private:
  struct Issued {
    Principal principal = {};
    Time expires = {};
  };
  void RemoveExpiredLocked(Time now);

  const TimeSource clock_;

  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, Issued, std::less<>> issued_;
  std::size_t sweep_at_ = 1024;  // how many there are when expired ones are removed
};

}  // namespace gcsflux::emulator
