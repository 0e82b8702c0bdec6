#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/credentials.h"
#include "gcsflux/object.h"

namespace gcsflux {

class EventListener;

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
  /// and
  /// writes. Worst waits are a fraction of the other policies', at the same throughput: docs/flow_control.md.
  kGate,
  kFullJitter,    ///< Each waits for itself: full jitter, 1 s doubling to 32 s.
  kDecorrelated,  ///< Decorrelated jitter, 1 s to 32 s.
  kMultiplier,    ///< 1 s times 1.2 up to 45 s, as Google's connector for PyTorch does.
  kNone,          ///< 10 ms: hammers the service. For comparison.
};

/// What a Client needs to know. All of it has a working default.
struct ClientOptions {
  /// "https://storage.googleapis.com" unless one of STORAGE_EMULATOR_HOST, CLOUD_STORAGE_EMULATOR_ENDPOINT and
  /// CLOUD_STORAGE_TESTBENCH_ENDPOINT names another, looked at in this order. Set it to talk to a certain endpoint
  /// whatever the environment says. Scheme and host, no path: "http://127.0.0.1:9000"; without a scheme, http.
  std::string endpoint = {};
  /// Credentials::ApplicationDefault() unless set; anonymous where one of those variables is set, or the endpoint is
  /// plain http. Set it for public data (Credentials::Anonymous()), or to be somebody else.
  std::optional<Credentials> credentials = {};
  /// Has service accounts fetch their tokens from their key's token_uri rather than sign them themselves, which takes
  /// no request. Set it where an organisation's policy asks for that.
  bool exchange_signed_tokens = false;
  /// The project that requests are counted against (the header x-goog-user-project); GOOGLE_CLOUD_QUOTA_PROJECT where
  /// empty, then what the credential file says. Set it where user credentials may not use their own.
  std::string quota_project = {};
  /// For InsertBucket and ListBuckets; GOOGLE_CLOUD_PROJECT where empty.
  std::string project = {};
  RetryPolicies retry = {};
  /// Change it to compare.
  ThrottlePolicy throttle_policy = ThrottlePolicy::kGate;
  /// For name look-up, TCP and TLS together. Raise it on slow or distant networks.
  std::chrono::milliseconds connect_timeout{10'000};
  /// An exchange in which no byte moves for so long counts as broken and is retried. Raise it for endpoints that
  /// are slow to answer; whole seconds count.
  std::chrono::seconds stall_timeout{60};
  /// Connections kept open between calls. Raise it to at least the number of threads that call at once.
  int max_idle_connections = 256;
  /// Hears what the client does, and must be thread-safe: events.h. Set it to log, to trace, or to count by yourself
  /// what Client::counters() does not.
  std::shared_ptr<EventListener> event_listener = {};
};

struct InsertBucketOptions {
  std::string location = {};  ///< GCS's own default (US) where empty.
  std::stop_token stop = {};
};

struct GetBucketOptions {
  std::stop_token stop = {};
};

struct ListBucketsOptions {
  std::string prefix = {};
  std::stop_token stop = {};
};

struct DeleteBucketOptions {
  std::stop_token stop = {};
};

/// For InsertObject. Retried only under a precondition: see upload.h for writes that are safe by themselves.
struct InsertObjectOptions {
  std::optional<std::int64_t> if_generation_match = {};  ///< 0: only where no object of the name is live.
  std::optional<std::int64_t> if_generation_not_match = {};
  std::string content_type = "application/octet-stream";
  std::map<std::string, std::string> metadata = {};
  std::stop_token stop = {};
};

struct GetObjectOptions {
  /// Asks for ObjectMetadata::md5_hash. Set it to compare with tools that know nothing else; everything here goes by
  /// CRC32C, and an emulator has to compute the MD5 first.
  bool with_md5_hash = false;
  std::optional<std::int64_t> generation = {};
  std::optional<std::int64_t> if_generation_match = {};
  std::optional<std::int64_t> if_generation_not_match = {};
  std::stop_token stop = {};
};

struct ReadObjectOptions {
  /// The whole object unless set. A range past the end is cut; one that begins there is kOutOfRange.
  std::optional<ByteRange> range = {};
  /// The live one unless set. Set it where the bytes must be of the object that was listed.
  std::optional<std::int64_t> generation = {};
  std::optional<std::int64_t> if_generation_match = {};
  std::optional<std::int64_t> if_generation_not_match = {};
  std::stop_token stop = {};
};

/// One page of a bucket's objects, in bytewise order of their names.
struct ListObjectsOptions {
  std::string prefix = {};
  std::string delimiter = {};     ///< "/" folds everything behind the next one into ObjectPage::prefixes.
  std::string start_offset = {};  ///< Names at or after it.
  std::string end_offset = {};    ///< Names before it; empty is no bound.
  int max_results = 5000;         ///< A wish: GCS may serve fewer. Objects and prefixes count alike.
  std::string page_token = {};    ///< From ObjectPage::next_page_token.
  std::stop_token stop = {};
};

struct ComposeObjectsOptions {
  std::optional<std::int64_t> if_generation_match = {};  ///< Of the destination; 0: it must not exist.
  std::string content_type = "application/octet-stream";
  std::map<std::string, std::string> metadata = {};
  std::stop_token stop = {};
};

struct DeleteObjectOptions {
  std::optional<std::int64_t> generation = {};
  std::optional<std::int64_t> if_generation_match = {};
  std::stop_token stop = {};
};

}  // namespace gcsflux
