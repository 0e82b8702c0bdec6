#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/credentials.h"
#include "gcsflux/retry_options.h"

namespace gcsflux {

class EventListener;

/// The most requests at a time that an option may ask for, and the most connections that it may keep. An option that is
/// above it is kInvalidArgument.
inline constexpr int kMaxConcurrency = 10'000;

/// The most that ClientOptions::io_threads may be.
inline constexpr int kMaxIoThreads = 64;

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

/// What a Client needs to know. All of it has a working default. A duration that is as long as its type holds means for
/// ever.
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
  /// Reads of whole objects that the service gives no CRC32C for fail as kUnverified, be it in one request, in stripes
  /// or into a file. A CRC32C that a listing gave counts (DownloadSource::crc32c). Parts of objects, which a CRC32C
  /// of the whole cannot check, are read as ever. Set it where a proxy may remove headers.
  bool require_checksum = false;
  /// For name look-up, TCP and TLS together. Raise it on slow or distant networks.
  std::chrono::milliseconds connect_timeout{10'000};
  /// An exchange in which no byte moves for so long counts as broken and is retried. Raise it for endpoints that
  /// are slow to answer; whole seconds count.
  std::chrono::seconds stall_timeout{60};
  /// Connections kept open between calls, at most kMaxConcurrency. Raise it to at least the number of threads that call
  /// at once.
  int max_idle_connections = 256;
  /// Threads that carry the requests of Downloaders, datasets and parallel listings, each as an event loop for
  /// thousands of connections. They start with the first such work, and cost nothing while there is none. The number of
  /// processors, and at most 4, unless set; 1 to 64 otherwise. Set it to 1 where the processors are for other work;
  /// raise it where one Downloader fills more than 100 Gbit/s, or over TLS 50. They do not run code of the caller's.
  std::optional<int> io_threads = {};
  /// Bytes of objects that all download streams of the client and its copies may have fetched, or be fetching, before
  /// they are asked for (download.h); whatever it is, each stream fetches its next object. Memory for so many bytes is
  /// taken where a consumer is slower than the network. Raise it to at least what all connections bring within the
  /// consumer's longest pause, and to some objects per connection; lower it where memory is short.
  std::uint64_t max_undelivered_bytes = std::uint64_t{256} << 20;
  /// Headers that go with every request to the endpoint, an upload's chunks included; never to another host, which an
  /// upload's session may lead to, nor to those who give out tokens. What the client sends itself (Authorization,
  /// Range, x-goog-api-client ...) is refused. Set them where a gateway or an audit asks for them.
  std::vector<std::pair<std::string, std::string>> extra_headers = {};
  /// Put before "gcsflux/VERSION" in User-Agent: "trainer/1.2". Set it to find one's own requests in logs.
  std::string user_agent_prefix = {};
  /// PEM file of the certificates that vouch for servers; where empty, the one that CURL_CA_BUNDLE or SSL_CERT_FILE
  /// names, then the system's. Set it where a company's proxy or a private endpoint has a certificate of its own.
  std::string ca_file = {};
  /// PEM files of the certificate (with those that vouch for it) and the key, without a passphrase, by which the client
  /// says who it is in TLS. The key is looked for in the certificate's file where it has none of its own. Set them
  /// where an endpoint or a gateway asks for mutual TLS.
  std::string client_certificate_file = {};
  std::string client_key_file = {};
  /// The proxy of all requests: [scheme://][user:password@]host[:port], http, https, socks4, socks4a, socks5 or
  /// socks5h. Unset takes http_proxy, https_proxy and all_proxy as curl does, and none where the environment names none
  /// when the client is made; empty takes none. A token never goes over plain http by a proxy. Set it where the
  /// environment is not to be asked.
  std::optional<std::string> proxy = {};
  /// Hosts that are reached without it, separated by commas: names with their subdomains, addresses, or *. Unset takes
  /// no_proxy, as curl does. Set it where some endpoints are near.
  std::optional<std::string> no_proxy = {};
  /// Hears what the client does, and must be thread-safe: events.h. Set it to log, to trace, or to count by yourself
  /// what Client::counters() does not.
  std::shared_ptr<EventListener> event_listener = {};
};

}  // namespace gcsflux
