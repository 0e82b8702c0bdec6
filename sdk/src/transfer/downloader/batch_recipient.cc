#include "transfer/downloader/batch_recipient.h"

#include <string>
#include <utility>

namespace gcsflux::internal {

Result<std::vector<std::optional<Error>>> BatchRecipient::Fetch(const std::shared_ptr<RequestSlots>& slots,
                                                                FetchMethod method, const std::stop_token& stop) {
  run_ = std::make_shared<DownloadRun>(slots, std::move(method), destinations_.size(), *this);
  {
    const std::stop_callback pass_on(stop, [this] { run_->Stop(); });
    run_->Offer();
    run_->Wait();
  }
  const MutexLock lock(mutex_);
  if (failure_) return *failure_;
  if (stop.stop_requested() && (first_ || finished_ < errors_.size())) {
    return Error{ErrorCode::kCancelled, "download of " + std::to_string(errors_.size()) + " objects: cancelled after " +
                                            std::to_string(finished_)};
  }
  if (first_ && on_failure_ == OnFailure::kFailAll) return *first_;
  return std::move(errors_);
}

Result<std::vector<Destination>> BatchRecipient::DestinationsOf(const UnitPlan& unit) {
  std::vector<Destination> destinations;
  for (const auto bytes : destinations_.subspan(unit.first, unit.count)) destinations.push_back({bytes});
  return destinations;
}

void BatchRecipient::OnUnit(const FinishedUnit& unit) {
  bool fails_all = false;
  {
    const MutexLock lock(mutex_);
    finished_ += unit.plan.count;
    for (std::size_t i = 0; i < unit.errors.size(); ++i) {
      if (unit.errors[i] && !first_) {
        first_ = unit.errors[i];
        fails_all = on_failure_ == OnFailure::kFailAll;
      }
      errors_[unit.plan.first + i] = std::move(unit.errors[i]);
    }
  }
  if (fails_all) run_->Stop();
}

void BatchRecipient::OnRunFailed(const Error& error) noexcept {
  const MutexLock lock(mutex_);
  failure_ = error;
}

}  // namespace gcsflux::internal
