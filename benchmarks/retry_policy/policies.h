#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::bench {

/// A policy for throttled requests: flags of the clients that follow it.
struct Policy {
  std::string_view name = {};
  std::vector<std::string> flags = {};
};

inline const std::array<Policy, 4>& Policies() {
  static const auto* const policies = new std::array<Policy, 4>{{
      {"gate", {"--pace_throttled=true"}},
      {"full_jitter",  // As Google's and Amazon's clients: 1 s, doubling to 32 s.
       {"--pace_throttled=false", "--download_retry_initial_delay_s=1", "--download_retry_max_delay_s=32",
        "--download_retry_jitter=1"}},
      {"multiplier",  // As Google's connector for PyTorch.
       {"--pace_throttled=false", "--download_retry_initial_delay_s=1", "--download_retry_multiplier=1.2",
        "--download_retry_max_delay_s=45", "--download_retry_jitter=0"}},
      {"none",  // Floods the service.
       {"--pace_throttled=false", "--download_retry_initial_delay_s=0.01", "--download_retry_multiplier=1",
        "--download_retry_max_delay_s=0.01", "--download_retry_jitter=0"}},
  }};
  return *policies;
}

/// Null for an unknown name.
inline const Policy* FindPolicy(std::string_view name) {
  for (const Policy& policy : Policies()) {
    if (policy.name == name) return &policy;
  }
  return nullptr;
}

}  // namespace gcsflux::bench
