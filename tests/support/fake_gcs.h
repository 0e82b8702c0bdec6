#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "http/transport.h"

namespace gcsflux::testing {

/// The fault of one request. Default: none.
struct Fault {
  std::optional<Error> before = {};         ///< The connection fails before the service receives the request.
  std::optional<Error> after = {};          ///< It fails after the service has carried out the request: a lost answer.
  std::optional<std::size_t> cut_at = {};   ///< The body breaks after this many bytes.
  std::optional<std::size_t> flip_at = {};  ///< This byte of the body is wrong.
  std::optional<int> status = {};           ///< The service does nothing and answers with this status.
  std::optional<int> after_status = {};     ///< It carries out the request, and answers with this status.
  std::optional<std::size_t> persist = {};  ///< A session keeps only this many of the received bytes.
  bool forget_range = false;                ///< A 308 without its Range header.
};

/// A bucket in memory behind the Transport interface, small but true to the protocol: media reads, metadata, inserts
/// with preconditions, composes of one source, resumable sessions, deletes. Thread-safe.
class FakeGcs : public internal::Transport {
 public:
  struct Object {
    std::int64_t generation = 0;
    std::string bytes = {};
    std::string content_type = {};
    std::map<std::string, std::string> metadata = {};
    std::chrono::sys_seconds created = {};
  };

  Result<internal::HttpResponse> Perform(const internal::HttpRequest& request, internal::BodyReceiver* receiver,
                                         const std::stop_token& stop) override;

  /// One for each future request, in order; after the last one, there are no faults.
  std::deque<Fault> faults = {};
  std::map<std::string, Object> objects = {};
  std::map<std::string, Object> sessions = {};       ///< By their URI's last part; `generation` is the precondition.
  std::vector<internal::HttpRequest> requests = {};  ///< Without payloads.
  std::function<void()> on_request = {};             ///< Called with each recorded request, before it is served.
  int commits = 0;                                   ///< Generations made.
  /// The service's clock: of its objects, and of its answers' Date unless it sends none.
  std::chrono::sys_seconds now = std::chrono::sys_days(std::chrono::November / 20 / 2026);
  bool has_date = true;

  void Put(const std::string& name, std::string bytes) { Commit(name, {.bytes = std::move(bytes)}); }

 private:
  internal::HttpResponse Serve(const internal::HttpRequest& request, const Fault& fault);
  internal::HttpResponse Insert(const std::string& target, const internal::HttpRequest& request);
  internal::HttpResponse Compose(const std::string& target, const internal::HttpRequest& request);
  internal::HttpResponse StartSession(const std::string& target, const internal::HttpRequest& request);
  internal::HttpResponse PutSession(const std::string& id, const internal::HttpRequest& request, const Fault& fault);
  internal::HttpResponse Read(const Object& object, const internal::HttpRequest& request) const;
  const Object& Commit(const std::string& name, Object object);
  internal::HttpResponse Resource(const std::string& name) const;

  std::mutex mutex_;
  std::int64_t next_generation_ = 1000;
};

/// A client of `gcs`, which must outlive it; retries wait on a clock that passes at once.
Client MakeClient(FakeGcs& gcs, const RetryOptions& retry = {},
                  IdempotencyPolicy idempotency = IdempotencyPolicy::kStrict);

}  // namespace gcsflux::testing
