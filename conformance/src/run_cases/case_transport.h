#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "http/http.h"

namespace gcsflux::conformance {

/// One request and its answer, or why there was none.
struct Exchange {
  Request request;
  Response response = {};
  std::string error = {};
};

/// How many requests a run may still send. Thread-safe.
class RequestBudget {
 public:
  explicit RequestBudget(std::int64_t requests) : left_(requests) {}
  /// Whether one more may be sent. Counts it in any case.
  bool Take() { return left_.fetch_sub(1) > 0; }
  [[nodiscard]] bool is_used_up() const { return left_ < 0; }

 private:
  std::atomic<std::int64_t> left_;
};

/// The requests of one case. Thread-safe.
class CaseRecord {
 public:
  /// The most requests of a case's steps, and again of its cleaning. Then they fail: a service whose pages or states
  /// never end must not hold the run.
  static constexpr int kMostRequests = 20'000;

  explicit CaseRecord(RequestBudget& budget) : budget_(budget) {}

  /// Cleaning is not recorded, and does not need the run's budget.
  void BeginCleaning();
  /// Why the next request must not be sent. Empty if it may be.
  std::string WhyNoMore();
  void Add(const Request& request, const OrError<Response>& response);
  /// The last exchanges before the cleaning, with bodies of at most kMostBodyBytes.
  [[nodiscard]] std::vector<Exchange> exchanges() const;

  static constexpr std::size_t kMostExchanges = 40;
  static constexpr std::size_t kMostBodyBytes = 2048;

 private:
  RequestBudget& budget_;
  mutable std::mutex mutex_;  // guards what follows
  int requests_ = 0;
  bool is_cleaning_ = false;
  std::vector<Exchange> exchanges_;
};

/// Sends by another transport, and records. As thread-safe as that one.
class CaseTransport : public Transport {
 public:
  CaseTransport(Transport& below, CaseRecord& record) : below_(below), record_(record) {}
  CaseTransport(std::unique_ptr<Transport> below, CaseRecord& record)
      : owned_(std::move(below)), below_(*owned_), record_(record) {}
  OrError<Response> Send(const Request& request) override;

 private:
  const std::unique_ptr<Transport> owned_ = nullptr;
  Transport& below_;
  CaseRecord& record_;
};

}  // namespace gcsflux::conformance
