#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/result.h"

// What a Client does: events (EventListener; MakeLogger() and TraceWriter are listeners), counts (Counters) and states
// (GateStatus).
namespace gcsflux {

using EventTime = std::chrono::steady_clock::time_point;

/// The requests that share a quota, and therefore a gate, in one bucket.
enum class GateClass { kList, kRead, kWrite };

/// "list", "read" or "write".
std::string_view GateClassName(GateClass gate_class);

/// What an Event reports, and which of its members.
enum class EventKind {
  kRequest,  ///< An attempt has ended: answered, broken or cancelled.
  kRetry,    ///< An attempt failed with `error`, and another follows after `duration`. Waits at a gate come on top.
  /// The client's retry budget (RetryOptions::budget) delays the retry that was reported just before, by `duration`
  /// more than its backoff: so many requests of its kind fail that retries are paced.
  kBudget,
  kFailure,   ///< A call failed for good: its caller gets `error`, which says what was tried and what to do about it.
  kThrottle,  ///< The service throttled a request.
  /// Before its first byte or in its body, an exchange stalled for `duration`, more than the usual `threshold`. It was
  /// cancelled or hedged.
  kStalledFirstByte,
  kStalledBody,
  kHedgeSent,  ///< A second request was sent beside a read that stalls.
  kHedgeWon,   ///< It answered first, and the stalled one was cancelled.
  /// The first request continued before the second answered, and the second was cancelled; or both failed.
  kHedgeLost,
  kToken,  ///< A token of the credential `what` was fetched within `duration`, or could not be fetched (`error`).
  /// A whole object was read, and the service gave no CRC32C for it. Once for each bucket; Counters::unverified_reads
  /// counts all such reads.
  kUnverifiedRead,
  /// The system gives fewer threads than requested, or allows fewer open files than connections (`what`): `started` of
  /// `wanted`. With 0 threads, the calling thread does the work. Once for a client and its copies.
  kThreadShortage,
  /// CompositionMode::kAuto reads the objects of `bucket` directly, because the service refuses what composing needs:
  /// `what` is the missing permission, or why the permissions cannot be read. Once for each bucket, for a client and
  /// its copies.
  kCompositionRefused,
  /// The batches of a MapDataset are requested in an order that was not announced to it, so nothing is fetched ahead:
  /// `what` says what to do. With the second such batch, because a program may look at one before it begins. Once for a
  /// dataset and its copies. DatasetReport::unannounced_batches counts these batches.
  kUnannouncedOrder,
  /// A dataset's disk cache (CacheOptions) is not used, or keeps nothing more: `subject` is its directory, and `error`
  /// says why. Reads go on without it. Once for a dataset and its copies.
  kCacheUnusable,
};

/// Something that a client did or met. Members that the kind does not name keep their defaults. `error` and the strings
/// are valid during the callback only.
struct Event {
  EventKind kind = EventKind::kRequest;  ///< Which members below have values.

  // The call; kToken, kThreadShortage, kCompositionRefused, kUnannouncedOrder and kCacheUnusable are about none.
  std::string_view operation = {};      ///< As GCS names it: "objects.get".
  std::string_view subject = {};        ///< "gs://bucket/name [0, 4096)". Of kUnannouncedOrder: the dataset's prefix.
  std::string_view bucket = {};         ///< Empty if the call is about no bucket.
  std::string_view invocation_id = {};  ///< The same for all attempts of a call; empty before the first is sent.
  int attempt = 1;                      ///< From 1. Of kRetry and kBudget: the attempt that failed.

  /// Of kRetry, kBudget, kFailure, kThreadShortage, kCacheUnusable, and a kToken that failed.
  const Error* error = nullptr;
  std::chrono::nanoseconds duration{0};     ///< Of kRetry, kBudget, kStalled... and kToken (all of its attempts).
  std::chrono::nanoseconds threshold{0};    ///< Of kStalled...: the usual time.
  std::string_view what = {};               ///< "service account", "threads", "connections": see the kinds.
  std::size_t wanted = 0;                   ///< Of kThreadShortage: threads or connections.
  std::size_t started = 0;                  ///< Of kThreadShortage: as many as the system gave.
  GateClass gate_class = GateClass::kRead;  ///< Of kThrottle, as the next two.
  bool is_engaged = false;                  ///< The gate paces requests. Always false without pace_throttled.
  double rate = 0;                          ///< Requests per second that the gate lets through; 0 while it is open.

  // Of kRequest:
  std::string_view method = {};              ///< "GET".
  std::string_view url = {};                 ///< Without secrets: an upload session's URI is cut behind its host.
  int status = 0;                            ///< Status of the answer; 0 if there was none.
  std::optional<ErrorCode> failure = {};     ///< Why there was no answer, or only a part of it.
  std::uint64_t bytes_sent = 0;              ///< Of the request's body.
  std::uint64_t bytes_received = 0;          ///< Of the answer's body.
  EventTime start = {};                      ///< Behind the gate, when the credential is available.
  std::optional<EventTime> first_byte = {};  ///< Absent if no byte of an answer came.
  EventTime end = {};                        ///< The last byte, or the failure.
};

/// Is told what a Client does: ClientOptions::event_listener.
///
/// The callback runs during calls, for several events at the same time. The threads that call the client run it; for
/// downloads of many objects and parallel listings, threads of the library do. It must be thread-safe and quick,
/// because the call waits. A slow callback delays no other request, unless three slow ones run. No lock of the client
/// is held. An exception is dropped and counted (Counters::listener_exceptions), and the call continues. Copy the
/// strings that you keep. No event contains a token, an encryption key, an upload session's URI or a signature.
class EventListener {
 public:
  virtual ~EventListener() = default;
  virtual void OnEvent(const Event& event) = 0;  ///< Called for each event.
};

/// A listener that calls several listeners in order, without the null ones. Null if no listener is left.
std::shared_ptr<EventListener> CombineListeners(std::vector<std::shared_ptr<EventListener>> listeners);

/// What a Client and its copies have done since Create(). Counters only grow; those of one snapshot may be of slightly
/// different instants.
struct Counters {
  std::uint64_t calls = 0;     ///< Operations begun, including those that larger operations consist of.
  std::uint64_t failures = 0;  ///< Operations that ended in an error, kNotFound included.
  std::uint64_t requests = 0;  ///< Attempts sent, hedges included. Requests for tokens do not count.
  /// Attempts that Google charges for: operations of class A (lists, uploads, composes, copies, changes) and of class B
  /// (reads of objects and of metadata). Deletes are free. So are the requests of an upload's session after the first,
  /// and requests that the service refused (429, 5xx and other errors). A request with a lost answer counts.
  /// PriceOf() says what they cost.
  std::uint64_t class_a_operations = 0;
  std::uint64_t class_b_operations = 0;  ///< Reads: see above.
  std::uint64_t retries = 0;             ///< Attempts that followed a failed attempt of the same call.
  /// Retries that the retry budget delayed (EventKind::kBudget), and the sum of these delays.
  std::uint64_t budget_waits = 0;
  std::chrono::milliseconds budget_delay{0};  ///< Sum of their delays.
  std::uint64_t throttled = 0;                ///< Answers that asked for fewer requests (429).
  std::uint64_t stalls = 0;                   ///< kStalledFirstByte and kStalledBody.
  std::uint64_t hedges = 0;                   ///< Second requests for reads that stalled.
  std::uint64_t hedges_won = 0;               ///< Second requests that answered first.
  std::uint64_t reads_resumed = 0;            ///< Requests that resumed a broken read behind its last byte.
  std::uint64_t unverified_reads = 0;         ///< Reads of whole objects without a CRC32C to compare the bytes with.
  std::uint64_t sessions_restarted = 0;       ///< Resumable uploads that lost their session and started again.
  std::uint64_t token_refreshes = 0;          ///< Tokens that were fetched.
  std::uint64_t token_failures = 0;           ///< Tokens that could not be fetched, after all attempts.
  std::uint64_t token_retries = 0;            ///< Requests for tokens after the first one.
  std::uint64_t bytes_sent = 0;               ///< Of requests' bodies.
  std::uint64_t bytes_received = 0;           ///< Of answers' bodies, including those of failures.
  std::uint64_t listener_exceptions = 0;      ///< Exceptions of EventListener::OnEvent().

  /// What was done between two snapshots of one client's counters: `client.counters() - before`.
  friend Counters operator-(const Counters& after, const Counters& before);
};

/// The state of a gate: docs/retries.md.
struct GateStatus {
  std::string bucket = {};                  ///< Empty for requests that are about no bucket.
  GateClass gate_class = GateClass::kRead;  ///< The class of requests that it paces.
  bool is_engaged = false;                  ///< It paces requests, because the service throttles them.
  double rate = 0;                          ///< Requests per second that it lets through; 0 while it is open.
  std::uint64_t waiting = 0;                ///< Requests that wait.
  std::uint64_t throttled = 0;              ///< Since the client was made.
};

enum class LogLevel {
  kError,  ///< Calls that failed for good, and tokens that could not be fetched.
  /// Failures that the client handles: retries, stalls, delays by the retry budget, threads that could not be started;
  /// and datasets that cannot fetch ahead.
  kWarning,
  kInfo,   ///< Throttling, hedges, new tokens, and calls whose failure is an answer (not found, cancelled ...).
  kDebug,  ///< Each request.
};

/// "error", "warning", "info" or "debug".
std::string_view LogLevelName(LogLevel level);

/// The level of that name. Nothing if there is none.
std::optional<LogLevel> ParseLogLevel(std::string_view name);

/// Takes one line, without its line end. Several threads call it at the same time.
using LogSink = std::function<void(LogLevel level, std::string_view line)>;

/// A listener for ClientOptions::event_listener that writes a line for each event of `level` and of the levels above
/// it. A line tells the operation, the object, the attempt, what happened, how long it took, and the invocation id if
/// the service knows it. No line contains a secret or a control character.
///
/// Without a sink, lines go to standard error, with the time and the level first, each as one write.
std::shared_ptr<EventListener> MakeLogger(LogLevel level, LogSink sink = {});

/// A listener for ClientOptions::event_listener that writes a timeline for https://ui.perfetto.dev and
/// chrome://tracing. Each request is on the lane of the thread that waits for it, with the time to its first byte
/// inside. A hedge is on a lane beside it. Downloads of many objects and parallel listings have as many lanes as
/// requests in flight. Retries, throttling, stalls and hedges are marks on the lane; tokens are bars of their own.
///
/// The file is an array of Chrome's trace events (the JSON Array Format of
/// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). Each event is written at once and
/// whole: after a crash only the closing bracket is missing, which the format allows. A request costs a write() and
/// about 400 bytes. Thread-safe; several clients may share one.
class TraceWriter : public EventListener {
 public:
  /// Replaces the file. Returns kLocalIo if it cannot be written.
  static Result<std::shared_ptr<TraceWriter>> Open(const std::string& path);

  /// Completes the file; later events are dropped. Returns kLocalIo if an event could not be written: the file then
  /// ends with the event before it. It may be called again. The destructor does the same, without a report of errors.
  virtual Result<void> Close() = 0;
};

// The price of a client's operations. Storage, retrieval and network are charged separately.

/// Prices in US dollars for 1,000 operations. The defaults are those of Standard storage in a single region with a flat
/// namespace, from https://cloud.google.com/storage/pricing#operations-pricing (2026). Change them for another storage
/// class or location: dual-regions and multi-regions cost 0.01 and 0.0004, Nearline in a single region 0.01 and 0.001.
struct OperationPrices {
  double class_a_per_1000 = 0.005;   ///< Lists, uploads, composes, copies, changes.
  double class_b_per_1000 = 0.0004;  ///< Reads of objects and of metadata.
};

/// Price of the operations of class A and B, in US dollars.
double PriceOf(const Counters& counters, const OperationPrices& prices = {});

}  // namespace gcsflux
