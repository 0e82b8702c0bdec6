#pragma once

#include <chrono>

namespace gcsflux {

/// How the waits of many callers that fail together are spread. The bound of the wait grows with each attempt.
enum class Jitter {
  kFull,   ///< Uniform in [0, bound].
  kEqual,  ///< Uniform in [bound / 2, bound].
  /// Uniform in [initial_delay, 3 x the last wait], at most max_delay. Ignores the multiplier.
  kDecorrelated,
  kNone,  ///< The bound itself.
};

/// How temporary failures are retried: exponential backoff with jitter under a deadline.
///
/// The bound of the wait before attempt n+1 is min(max_delay, initial_delay * multiplier^(n-1)). Retried failures are
/// HTTP 408, 429 and 5xx, and a connection that was refused, broke or ended early. Only idempotent operations are
/// retried: reads always, writes with a precondition. If a request was throttled (429), ThrottlePolicy decides its
/// wait, under the same deadline. Google's connector for PyTorch is `{.initial_delay = 1s, .multiplier = 1.2,
/// .max_delay = 45s, .jitter = Jitter::kNone, .deadline = 300s}`.
///
/// A duration here, as in every options struct, may have its type's largest value: milliseconds::max() means no limit.
struct RetryOptions {
  /// Raise it if many clients fail at the same time and return at the same time.
  std::chrono::milliseconds initial_delay{100};
  /// Lower it (for example to 1.2) if long waits cost more than additional requests.
  double multiplier = 2.0;
  /// A call may wait this long after an outage has ended. Raise it (Google's general advice is 32 to 60 s) if outages
  /// last long and each request costs.
  std::chrono::milliseconds max_delay{2'000};
  /// Change it for comparisons.
  Jitter jitter = Jitter::kEqual;
  /// No attempt begins later than this after the start of the first attempt; for a resumed transfer, after its last
  /// byte. An attempt that has begun is not cut short (ClientOptions::stall_timeout ends one that stalls). Raise it if
  /// calls should outlast outages.
  std::chrono::milliseconds deadline{120'000};
  /// Most attempts, including the first. 1 switches retries off; lower it in tests.
  int max_attempts = 1'000'000;
  /// How many of the client's requests of this kind may be retries, as a share of the other requests. In addition, 10
  /// retries per second are always allowed. Further retries wait; they are not given up. Raise it if single failures
  /// are frequent and independent.
  double budget = 0.2;

  friend bool operator==(const RetryOptions&, const RetryOptions&) = default;
};

/// One policy for each kind of operation.
struct RetryPolicies {
  RetryOptions list = {};      ///< objects.list, buckets.list.
  RetryOptions download = {};  ///< Reads of objects' bytes.
  RetryOptions upload = {};    ///< Everything that sends objects' bytes.
  RetryOptions metadata = {};  ///< Everything else: get, delete, compose, buckets.

  /// The same options for all kinds.
  static RetryPolicies All(const RetryOptions& options) { return {options, options, options, options}; }
};

/// How the client's throttled requests (429) wait.
enum class ThrottlePolicy {
  /// They wait at a gate, which finds the rate that the service allows. There is one gate for each bucket and each of
  /// lists, reads and writes. The longest waits are a fraction of the other policies' waits, with the same throughput:
  /// docs/flow_control.md.
  kGate,
  kFullJitter,    ///< Each request waits on its own: full jitter, from 1 s, doubling to 32 s.
  kDecorrelated,  ///< Decorrelated jitter, 1 s to 32 s.
  kMultiplier,    ///< 1 s times 1.2 up to 45 s, as Google's connector for PyTorch does.
  kNone,          ///< 10 ms: floods the service. For comparisons.
};

/// Which calls are retried after a temporary failure, if the call could take effect twice.
enum class IdempotencyPolicy {
  /// Only calls that cannot take effect twice: reads, and changes under a precondition that becomes false when they
  /// succeed. https://cloud.google.com/storage/docs/retry-strategy#idempotency-operations
  kStrict,
  /// All calls. For callers that accept a repeated effect: for example one writer per name, whose last write may happen
  /// twice.
  kAlwaysRetry,
  /// All calls. Every attempt of a request carries the same x-goog-gcs-idempotency-token, and the service is trusted to
  /// answer a repeated request with its first answer. It is not documented how long the service remembers a token: use
  /// it with deadlines of some minutes at most. See docs/how_to.md.
  kToken,
};

}  // namespace gcsflux
