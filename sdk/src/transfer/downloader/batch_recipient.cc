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
  if (first_ && !delivers_failures_) return *first_;
  return std::move(errors_);
}

Result<std::vector<Destination>> BatchRecipient::DestinationsOf(const GroupPlan& group) {
  std::vector<Destination> destinations;
  for (const auto bytes : destinations_.subspan(group.first, group.count)) destinations.push_back({bytes});
  return destinations;
}

void BatchRecipient::OnGroup(const FinishedGroup& group) {
  bool fails_all = false;
  {
    const MutexLock lock(mutex_);
    finished_ += group.plan.count;
    for (std::size_t i = 0; i < group.errors.size(); ++i) {
      if (group.errors[i] && !first_) {
        first_ = group.errors[i];
        fails_all = !delivers_failures_;
      }
      errors_[group.plan.first + i] = std::move(group.errors[i]);
    }
  }
  if (fails_all) run_->Stop();
}

void BatchRecipient::OnRunFailed(const Error& error) noexcept {
  const MutexLock lock(mutex_);
  failure_ = error;
}

}  // namespace gcsflux::internal
