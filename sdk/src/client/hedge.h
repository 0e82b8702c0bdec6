#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "client/observed_request.h"
#include "client/stall_watch.h"
#include "events/observer.h"
#include "http/transport.h"
#include "retry/gate_keeper.h"
#include "retry/hedge_budget.h"
#include "retry/operation_kind.h"
#include "retry/read_pace.h"
#include "retry/retry_loop.h"

namespace gcsflux::internal {

/// What all reads of a client share to detect stalled reads. Thread-safe.
class Hedging {
 public:
  explicit Hedging(const HedgeOptions& options)
      : is_enabled_(options.budget > 0), budget_(options.budget), list_(options), bytes_(options), metadata_(options) {}

  [[nodiscard]] bool is_enabled() const { return is_enabled_; }
  HedgeBudget& budget() { return budget_; }
  /// A page of a list takes longer than an object's metadata.
  ReadPace& PaceOf(OperationKind kind) {
    return kind == OperationKind::kList ? list_ : kind == OperationKind::kDownload ? bytes_ : metadata_;
  }

 private:
  const bool is_enabled_;
  HedgeBudget budget_;
  ReadPace list_;
  ReadPace bytes_;
  ReadPace metadata_;
};

/// Decides whether one attempt of a read is sent a second time: if it stalls, the budget allows it, and its gate is
/// open. Used by one thread, during one exchange.
class Hedge : public Watch {
 public:
  /// Makes the second request, as the attempt of that number. Nothing if no bytes remain to be read.
  using MakeSecond = std::function<std::optional<HttpRequest>(int attempt)>;

  struct Parts {
    const Timing& timing;
    HedgeBudget& budget;
    Observer& observer;
    GateKeeper* gate;  ///< Null if no gate is used.
    Attempts& attempts;
    StallWatch& progress;
    MakeSecond make_second;
  };
  explicit Hedge(Parts parts) : parts_(std::move(parts)) {}

  std::optional<std::chrono::nanoseconds> TimeLeft() override { return parts_.progress.TimeLeft(); }
  const HttpRequest* OnOverdue() override;
  void OnSecondWon() override;
  void OnSecondFailed(const Result<HttpResponse>& outcome) override;

  /// The second request, if it won. Null otherwise.
  [[nodiscard]] ObservedRequest* winner() { return winner_.get(); }

 private:
  const Parts parts_;
  std::unique_ptr<ObservedRequest> second_;
  std::unique_ptr<ObservedRequest> winner_;
  Gate::TimePoint sent_;  // of the second
};

}  // namespace gcsflux::internal
