#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "gcsflux/credentials.h"
#include "gcsflux/retry_options.h"

namespace gcsflux {

class EventListener;

/// When a read stands still, and what is done about it. Where a second request may bring what the first does not, it is
/// sent beside it, and whichever answers first is gone on with. Never while requests are being throttled.
struct HedgeOptions {
  /// Of the client's reads, the share that may be sent a second time. 0 switches hedging off: set it where each request
  /// is billed, or where all of an endpoint stalls at once and more requests make it worse.
  double budget = 0.05;
  /// A read stands still when its first byte, or the next 256 KiB, take so many times longer than 95 % of the client's
  /// recent ones took. Lower it where the last read of many holds up all the others.
  double stall_factor = 3.0;
  /// And never less than this. Lower it on a network that always answers sooner.
  std::chrono::milliseconds min_stall{100};
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
  /// Change it where a repeated effect does no harm and a precondition is not at hand.
  IdempotencyPolicy idempotency = IdempotencyPolicy::kStrict;
  HedgeOptions hedge = {};
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

}  // namespace gcsflux
