#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/credentials.h"

namespace gcsflux {

/// How temporary failures are retried: exponential backoff with jitter under a deadline.
///
/// The bound of the wait before attempt n+1 is min(max_delay, initial_delay * multiplier^(n-1)). Retried failures are
/// HTTP 408, 429 and 5xx, and a connection that was refused, broke or ended early. Only idempotent operations are
/// retried: reads always, writes with a precondition. If a request was throttled (429), ClientOptions::pace_throttled
/// decides its wait, under the same deadline. Google's connector for PyTorch is `{.initial_delay = 1s, .multiplier =
/// 1.2, .max_delay = 45s, .jitter = 0, .deadline = 300s}`.
///
/// A duration here, as in every options struct, may have its type's largest value: milliseconds::max() means no limit.
struct RetryOptions {
  /// Raise it if many clients fail at the same time and return at the same time.
  std::chrono::milliseconds initial_delay{100};
  /// Lower it (for example to 1.2) if long waits cost more than additional requests. From 1 to 100.
  double multiplier = 2.0;
  /// A call may wait this long after an outage has ended. Raise it (Google's general advice is 32 to 60 s) if outages
  /// last long and each request costs.
  std::chrono::milliseconds max_delay{2'000};
  /// The share of a wait that is random, from 0 to 1, so that callers that fail together do not return together: a wait
  /// is uniform in [(1 - jitter) * bound, bound]. 1 is "full jitter", 0.5 "equal jitter". Change it for comparisons.
  double jitter = 0.5;
  /// No attempt begins later than this after the start of the first attempt; for a resumed transfer, after its last
  /// byte. An attempt that has begun is not cut short (ClientOptions::stall_timeout ends one that stalls). Raise it if
  /// calls should outlast outages.
  std::chrono::milliseconds deadline{120'000};
  /// Most attempts, including the first. 1 switches retries off; lower it in tests.
  int max_attempts = 1'000'000;
  /// How many of the client's requests of this kind may be retries, as a share of the other requests. In addition, 10
  /// retries per second are always allowed. Further retries wait; they are not given up. Raise it if single failures
  /// are frequent and independent. From 0 to 100.
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

class EventListener;

/// The limit of every option for concurrent requests or for connections. A larger value is kInvalidArgument.
inline constexpr int kMaxConcurrency = 10'000;

/// The largest ClientOptions::io_threads.
inline constexpr int kMaxIoThreads = 64;

/// The options of a Client. All have defaults that work. A duration with its type's largest value means no limit.
struct ClientOptions {
  /// Scheme and host, no path: "http://127.0.0.1:9000"; without a scheme, http. If empty, the first of
  /// STORAGE_EMULATOR_HOST, CLOUD_STORAGE_EMULATOR_ENDPOINT and CLOUD_STORAGE_TESTBENCH_ENDPOINT that is set names the
  /// endpoint; otherwise it is "https://storage.googleapis.com". Set it to use one endpoint in any environment.
  std::string endpoint = {};
  /// If absent, Credentials::ApplicationDefault(). But if one of those variables is set, or the endpoint is plain http,
  /// requests are anonymous. Set it for public data (Credentials::Anonymous()), or to use another identity.
  std::optional<Credentials> credentials = {};
  /// Service accounts fetch their tokens from their key's token_uri. If it is false, the client signs the tokens
  /// itself, which takes no request. Set it if an organisation's policy requires it.
  bool exchange_signed_tokens = false;
  /// The project whose quota the requests use (the header x-goog-user-project). If empty, GOOGLE_CLOUD_QUOTA_PROJECT,
  /// then the credential file's project. Set it if user credentials may not use their own project.
  std::string quota_project = {};
  /// For InsertBucket and ListBuckets. If empty, GOOGLE_CLOUD_PROJECT.
  std::string project = {};
  RetryPolicies retry = {};  ///< How temporary failures are retried.
  /// Throttled requests (429) wait at a gate, which finds the rate that the service allows. There is one gate for each
  /// bucket and each of lists, reads and writes. The longest waits are a fraction of those of backoff, with the same
  /// throughput: docs/retries.md. If false, each request waits on its own, as after other failures: RetryOptions. Clear
  /// it if something else paces the requests of all clients.
  bool pace_throttled = true;
  /// Change it if a repeated effect does no harm and no precondition is available.
  IdempotencyPolicy idempotency = IdempotencyPolicy::kStrict;
  /// Hedging: if a read stalls, the client sends a second request for the same bytes, and the first answer wins; the
  /// other request is cancelled. It sends none while the service throttles requests. This is the share of the client's
  /// reads that may be sent a second time, 0 to 1. 0 switches hedging off. Set it to 0 if each request is billed, or if
  /// all of an endpoint stalls at once and more requests make it worse.
  double hedge_budget = 0.05;
  /// A read stalls if it waits longer than `hedge_stall_factor` times the usual time. The usual time is the 95th
  /// percentile of the client's recent waits, for the first byte or for the next 256 KiB. Lower it if the last read of
  /// many delays all the others. From 1 to 1000.
  double hedge_stall_factor = 3.0;
  /// A read that waits for less than this does not stall. Lower it on a network that always answers sooner.
  std::chrono::milliseconds hedge_min_stall{100};
  /// If the service gives no CRC32C for a whole object, its read fails with kUnverified: in one request, in ranges, or
  /// into a file. A CRC32C from a listing counts (DownloadSource::crc32c). Reads of parts of objects are not affected,
  /// because the CRC32C of the whole cannot check them. Set it if a proxy may remove headers.
  bool require_checksum = false;
  /// For name look-up, TCP and TLS together. Raise it on slow or distant networks.
  std::chrono::milliseconds connect_timeout{10'000};
  /// If no byte moves for this long, an exchange counts as broken and is retried. Raise it for endpoints that are slow
  /// to answer. The value is rounded to whole seconds.
  std::chrono::seconds stall_timeout{60};
  /// Most idle connections, at most kMaxConcurrency. Raise it to at least the number of threads that call at the same
  /// time.
  int max_idle_connections = 256;
  /// Threads that carry the requests of Downloaders, datasets and parallel listings. Each is an event loop for
  /// thousands of connections. They start with the first such work; before that they cost nothing. From 1 to 64; if
  /// absent, the number of processors, but at most 4. Set it to 1 if other work needs the processors. Raise it if one
  /// Downloader uses more than 100 Gbit/s, or 50 over TLS. These threads never run the caller's code.
  std::optional<int> io_threads = {};
  /// Most bytes that all download streams of the client and its copies fetch ahead of their consumers (download.h).
  /// Each stream always fetches its next object, even above this limit. The memory is used if a consumer is slower than
  /// the network. Raise it to at least the bytes that all connections bring during the consumer's longest pause, and to
  /// some objects per connection. Lower it if memory is short.
  std::uint64_t max_undelivered_bytes = std::uint64_t{256} << 20;
  /// Headers of every request to the endpoint, including an upload's chunks. They are never sent to other hosts: an
  /// upload's session may lead to one, and token endpoints are others. Headers that the client itself sends
  /// (Authorization, Range, x-goog-api-client ...) are refused. Set it if a gateway or an audit needs them.
  std::vector<std::pair<std::string, std::string>> extra_headers = {};
  /// Precedes "gcsflux/VERSION" in User-Agent: "trainer/1.2". Set it to find your own requests in logs.
  std::string user_agent_prefix = {};
  /// A PEM file with the certificates of the authorities that the client trusts. If empty, the file in CURL_CA_BUNDLE
  /// or SSL_CERT_FILE, then the system's. Set it if a company's proxy or a private endpoint has its own certificate.
  std::string ca_file = {};
  /// PEM files of the client's certificate (with its chain) and of its key, without a passphrase, for mutual TLS. If
  /// only the first is set, that file holds the key too. Set them if an endpoint or a gateway requires mutual TLS.
  std::string client_certificate_file = {};
  std::string client_key_file = {};  ///< A PEM file.
  /// The proxy of all requests: [scheme://][user:password@]host[:port], with http, https, socks4, socks4a, socks5 or
  /// socks5h. If absent, the environment's http_proxy, https_proxy and all_proxy at the time when the client is made,
  /// as curl reads them. If empty, no proxy. A token never goes over plain http through a proxy. Set it to ignore the
  /// environment.
  std::optional<std::string> proxy = {};
  /// Hosts that are reached without the proxy, separated by commas: names with their subdomains, addresses, or *. If
  /// absent, no_proxy, as curl reads it. Set it if some endpoints are in the local network.
  std::optional<std::string> no_proxy = {};
  /// Is told what the client does; must be thread-safe: events.h. Set it to log, to trace, or to count what
  /// Client::counters() does not count.
  std::shared_ptr<EventListener> event_listener = {};
};

}  // namespace gcsflux
