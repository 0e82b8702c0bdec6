#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "client/observed_request.h"
#include "client/read_progress.h"
#include "events/observer.h"
#include "http/transport.h"
#include "retry/gate_keeper.h"
#include "retry/hedge_budget.h"
#include "retry/operation_kind.h"
#include "retry/read_pace.h"
#include "retry/retry_loop.h"

namespace gcsflux::internal {

/// What all reads of a client share for the sake of those that stand still. Thread-safe.
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

/// Has one attempt of a read sent a second time where it stands still, the budget allows it, and its gate is open. Used
/// by one thread, during one exchange.
class Hedge : public Watch {
 public:
  /// The second request, complete, as the attempt of that number; nothing where nothing is left to be asked for.
  using MakeSecond = std::function<std::optional<HttpRequest>(int attempt)>;

  struct Parts {
    const Timing& timing;
    HedgeBudget& budget;
    Observer& observer;
    GateKeeper* gate;  ///< Null where no gate is in charge.
    Attempts& attempts;
    ReadProgress& progress;
    MakeSecond make_second;
  };
  explicit Hedge(Parts parts) : parts_(std::move(parts)) {}

  std::optional<std::chrono::nanoseconds> TimeLeft() override { return parts_.progress.TimeLeft(); }
  const HttpRequest* OnOverdue() override;
  void OnSecondWon() override;
  void OnSecondFailed(const Result<HttpResponse>& outcome) override;

  /// The one that the exchange goes on with, where it is not the first; null else.
  [[nodiscard]] ObservedRequest* winner() { return winner_.get(); }

 private:
  const Parts parts_;
  std::unique_ptr<ObservedRequest> second_;
  std::unique_ptr<ObservedRequest> winner_;
  Gate::TimePoint sent_;  // of the second
};

}  // namespace gcsflux::internal
