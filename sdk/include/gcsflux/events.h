#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/result.h"

// What a Client does, told while it does it (EventListener; log.h and trace.h have some), counted (Counters) and as it
// stands (GateStatus).
namespace gcsflux {

using EventTime = std::chrono::steady_clock::time_point;

/// The requests that share a quota and so a gate, in one bucket.
enum class GateClass { kList, kRead, kWrite };

/// "list", "read" or "write".
std::string_view GateClassName(GateClass gate_class);

/// What an event is about. As in every event, what is borrowed is valid during the callback only.
struct CallInfo {
  std::string_view operation = {};      ///< As GCS names it: "objects.get".
  std::string_view subject = {};        ///< "gs://bucket/name [0, 4096)".
  std::string_view bucket = {};         ///< Empty where it is about none.
  std::string_view invocation_id = {};  ///< The same for all attempts of a call; empty before the first is sent.
  int attempt = 1;                      ///< From 1.
};

/// One attempt is over: answered, broken or cancelled.
struct RequestEvent {
  CallInfo call = {};
  std::string_view method = {};  ///< "GET".
  /// Without what would let somebody else in: an upload session's URI is cut behind its host.
  std::string_view url = {};
  int status = 0;                         ///< Of the answer; 0 where there was none.
  std::optional<ErrorCode> failure = {};  ///< Why there was no answer, or not the whole of it.
  std::uint64_t bytes_sent = 0;           ///< Of the request's body.
  std::uint64_t bytes_received = 0;       ///< Of the answer's body.
  EventTime start = {};                   ///< Behind the gate, with the credential at hand.
  std::optional<EventTime> first_byte = {};
  EventTime end = {};
};

/// An attempt failed, and another follows after the delay.
struct RetryEvent {
  CallInfo call = {};  ///< With the number of the attempt that failed.
  const Error& cause;
  std::chrono::nanoseconds delay{0};  ///< Waiting in line at a gate comes on top.
};

/// The client's retry budget (RetryOptions::budget) holds up the repetition of which a RetryEvent told just before: the
/// requests of its kind fail so often that repetitions are paced.
struct BudgetEvent {
  CallInfo call = {};                ///< With the number of the attempt that failed.
  std::chrono::nanoseconds held{0};  ///< How much longer than its back-off it waits.
};

/// A call failed for good: its caller gets the error.
struct FailureEvent {
  CallInfo call = {};
  const Error& error;  ///< With its history and what to do about it.
};

/// The service throttled a request.
struct ThrottleEvent {
  CallInfo call = {};
  GateClass gate_class = GateClass::kRead;
  bool is_engaged = false;  ///< The gate paces requests; never with another ThrottlePolicy.
  double rate = 0;          ///< Requests a second that it lets through; 0 while it is open.
};

/// An exchange stood still for longer than is usual, and was broken off or hedged.
struct StallEvent {
  enum class Phase { kFirstByte, kBody };
  CallInfo call = {};
  Phase phase = Phase::kFirstByte;          ///< What did not come.
  std::chrono::nanoseconds stood_still{0};  ///< For so long.
  std::chrono::nanoseconds threshold{0};    ///< What is usual.
};

/// A second request beside a read that stands still.
struct HedgeEvent {
  enum class What {
    kSent,  ///< It was sent.
    kWon,   ///< It answered first, and the stalled one was cancelled.
    kLost,  ///< The stalled one went on first, and the second was cancelled, or both failed.
  };
  CallInfo call = {};
  What what = What::kSent;
};

/// A token was fetched, or was not to be had.
struct TokenEvent {
  std::string_view credential = {};  ///< Its kind: "service account". Never the token.
  const Error* failure = nullptr;    ///< Null where a token came.
  std::chrono::nanoseconds took{0};  ///< With all its attempts.
};

/// A whole object was read, and the service gave no CRC32C to compare its bytes with.
struct UnverifiedReadEvent {
  CallInfo call = {};
};

/// The system gives fewer threads than were asked for, or allows fewer open files than connections: the work goes on
/// with those that there are.
struct ThreadShortageEvent {
  std::size_t wanted = 0;
  std::size_t started = 0;               ///< Where it is 0, the thread that calls does the work.
  const Error& cause;                    ///< With what to do about it.
  std::string_view of_what = "threads";  ///< Or "connections".
};

/// CompositionMode::kAuto reads a bucket's objects directly, since the service refuses what composing needs.
struct CompositionRefusedEvent {
  std::string_view bucket = {};
  std::string_view reason = {};  ///< The permission that is missing, or why that cannot be found out; what to do.
};

/// Hears what a Client does: ClientOptions::event_listener.
///
/// Callbacks come in the midst of calls, several at once, from the threads that call the client, and for downloads of
/// many objects and parallel listings from threads of the library: be thread-safe and quick, since the call waits. A
/// slow callback holds up no other request, unless three of them run. No lock of the client is held. What a callback
/// throws is dropped and counted (Counters::listener_exceptions): the call goes on. Strings are borrowed: copy what is
/// to be kept. No event holds a token, an encryption key, an upload session's URI or a signature.
class EventListener {
 public:
  virtual ~EventListener() = default;
  virtual void OnRequest(const RequestEvent&) {}
  virtual void OnRetry(const RetryEvent&) {}
  virtual void OnFailure(const FailureEvent&) {}
  virtual void OnBudget(const BudgetEvent&) {}
  virtual void OnThrottle(const ThrottleEvent&) {}
  virtual void OnStall(const StallEvent&) {}
  virtual void OnHedge(const HedgeEvent&) {}
  virtual void OnTokenRefresh(const TokenEvent&) {}
  /// Once for each bucket; Counters::unverified_reads counts them all.
  virtual void OnUnverifiedRead(const UnverifiedReadEvent&) {}
  /// Once for a client and its copies.
  virtual void OnThreadShortage(const ThreadShortageEvent&) {}
  /// Once for each bucket, for a client and its copies.
  virtual void OnCompositionRefused(const CompositionRefusedEvent&) {}
};

/// A listener that tells several, in their order; null ones are left out. Null where none is left.
std::shared_ptr<EventListener> CombineListeners(std::vector<std::shared_ptr<EventListener>> listeners);

/// What a Client and its copies have done since Create(). They only grow; those of one snapshot are not of one instant.
struct Counters {
  std::uint64_t calls = 0;     ///< Operations that were begun, those that bigger ones are made of included.
  std::uint64_t failures = 0;  ///< Of them, those that ended in an error, be it kNotFound.
  std::uint64_t requests = 0;  ///< Attempts that were sent, hedges included; requests for tokens are not.
  /// Of them, those that Google charges for as operations of class A (lists, uploads, composes, copies, changes) and of
  /// class B (reads of objects and of metadata); the others are free: deletes, the requests of an upload's session
  /// after the first, and what the service refused (429, 5xx and other errors). A request whose answer was lost counts.
  /// operation_prices.h says what they cost.
  std::uint64_t class_a_operations = 0;
  std::uint64_t class_b_operations = 0;
  std::uint64_t retries = 0;  ///< Attempts that followed a failed one of the same call.
  /// Of them, those that the retry budget held up (BudgetEvent), and for how long, all together.
  std::uint64_t budget_waits = 0;
  std::uint64_t budget_wait_ms = 0;
  std::uint64_t throttled = 0;
  std::uint64_t stalls = 0;
  std::uint64_t hedges = 0;
  std::uint64_t hedges_won = 0;
  std::uint64_t reads_resumed = 0;       ///< Requests that went on at the byte at which a read had broken.
  std::uint64_t unverified_reads = 0;    ///< Of whole objects, without a CRC32C to compare their bytes with.
  std::uint64_t sessions_restarted = 0;  ///< Resumable uploads that lost their session and began anew.
  std::uint64_t token_refreshes = 0;     ///< Tokens that came.
  std::uint64_t token_failures = 0;      ///< Tokens that did not, all their attempts together.
  std::uint64_t token_retries = 0;       ///< Requests for tokens after the first.
  std::uint64_t bytes_sent = 0;          ///< Of requests' bodies.
  std::uint64_t bytes_received = 0;      ///< Of answers' bodies, those of failures included.
  std::uint64_t listener_exceptions = 0;
};

/// A gate as it stands: docs/flow_control.md.
struct GateStatus {
  std::string bucket = {};  ///< Empty: of what is about no bucket.
  GateClass gate_class = GateClass::kRead;
  bool is_engaged = false;      ///< It paces requests, since the service throttles them.
  double rate = 0;              ///< Requests a second that it lets through; 0 while it is open.
  std::uint64_t waiting = 0;    ///< Requests in line.
  std::uint64_t throttled = 0;  ///< Since the client was made.
};

}  // namespace gcsflux
