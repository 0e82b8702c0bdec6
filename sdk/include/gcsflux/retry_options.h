#pragma once

#include <chrono>

namespace gcsflux {

/// How the waits of many callers that fail together are spread. A wait's bound grows from attempt to attempt.
enum class Jitter {
  kFull,          ///< Uniform in [0, bound].
  kEqual,         ///< Uniform in [bound / 2, bound].
  kDecorrelated,  ///< Uniform in [initial_delay, 3 x the last wait], at most max_delay; the multiplier is not used.
  kNone,          ///< The bound itself.
};

/// How failures that may pass are tried again: exponential backoff with jitter under a deadline.
///
/// The bound of the wait before attempt n+1 is min(max_delay, initial_delay * multiplier^(n-1)).
/// What is tried again: HTTP 408, 429, 5xx, a connection that was refused, broke or ended early; and only operations
/// that are idempotent as they were asked for (reads always, writes under a precondition). The waits after a throttled
/// request (429) are those of ThrottlePolicy, under the same deadline. Google's connector for PyTorch is
/// `{.initial_delay = 1s, .multiplier = 1.2, .max_delay = 45s, .jitter = Jitter::kNone, .deadline = 300s}`.
///
/// A duration here, as in every options struct, may be as long as its type holds: milliseconds::max() means for ever.
struct RetryOptions {
  /// Raise it when many clients fail together and return together.
  std::chrono::milliseconds initial_delay{100};
  /// Lower it (to 1.2, say) when a long tail of waiting costs more than a few more requests.
  double multiplier = 2.0;
  /// A wait that outlasts the outage is lost. Raise it (Google's general advice is 32 to 60 s) where outages last and
  /// each request costs.
  std::chrono::milliseconds max_delay{2'000};
  /// Change it to compare.
  Jitter jitter = Jitter::kEqual;
  /// From the first attempt's start, or from the last byte of a transfer that goes on where it broke: no attempt begins
  /// after it. One that is under way is not cut short (ClientOptions::stall_timeout ends one that stands still).
  /// Raise it when outages should be sat out.
  std::chrono::milliseconds deadline{120'000};
  /// Attempts in all, the first included. 1 switches retries off; lower it in tests.
  int max_attempts = 1'000'000;
  /// How many of the client's requests of this kind may be repetitions, as a share of the others; 10 a second are
  /// allowed beside. Repetitions beyond it wait, they are not given up. Raise it where single failures are many and
  /// independent.
  double budget = 0.2;

  friend bool operator==(const RetryOptions&, const RetryOptions&) = default;
};

/// One policy for each kind of operation.
struct RetryPolicies {
  RetryOptions list = {};      ///< objects.list, buckets.list.
  RetryOptions download = {};  ///< Reads of objects' bytes.
  RetryOptions upload = {};    ///< Whatever sends objects' bytes.
  RetryOptions metadata = {};  ///< All else: get, delete, compose, buckets.

  /// The same for all.
  static RetryPolicies All(const RetryOptions& options) { return {options, options, options, options}; }
};

/// What throttled requests (429) of a client do.
enum class ThrottlePolicy {
  /// They wait for their turn at a gate that finds the rate that is to be had: one for each bucket and for lists, reads
  /// and writes. Worst waits are a fraction of the other policies', at the same throughput: docs/flow_control.md.
  kGate,
  kFullJitter,    ///< Each waits for itself: full jitter, 1 s doubling to 32 s.
  kDecorrelated,  ///< Decorrelated jitter, 1 s to 32 s.
  kMultiplier,    ///< 1 s times 1.2 up to 45 s, as Google's connector for PyTorch does.
  kNone,          ///< 10 ms: hammers the service. For comparison.
};

/// Which calls are repeated after a failure that may pass, for those that could take effect twice.
enum class IdempotencyPolicy {
  /// None but those that cannot: what reads, and what changes something under a precondition that its own success ends.
  /// https://cloud.google.com/storage/docs/retry-strategy#idempotency-operations
  kStrict,
  /// All. For callers to whom a repeated effect is no harm: one writer per name, say, whose last write may come twice.
  kAlwaysRetry,
  /// All, since the service is trusted to answer a repeated request with its first answer: every attempt of a request
  /// carries the same x-goog-gcs-idempotency-token. How long the service remembers a token is not documented: for
  /// callers whose deadlines are some minutes at most. See docs/how_to.md.
  kToken,
};

}  // namespace gcsflux
