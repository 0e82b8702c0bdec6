#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "base/process/mutex.h"
#include "gcsflux/download.h"
#include "transfer/download/download_run.h"

namespace gcsflux::internal {

/// One download of a batch into existing memory. Every group is admitted at once. Used by one thread.
class BatchRecipient : public Recipient {
 public:
  /// A destination for each source. They must outlive it.
  BatchRecipient(std::span<const std::span<std::byte>> destinations, bool delivers_failures)
      : destinations_(destinations), delivers_failures_(delivers_failures), errors_(destinations.size()) {}

  /// Fetches all sources. Returns the error of each source that has one. Without `delivers_failures` the first
  /// error is the result.
  Result<std::vector<std::optional<Error>>> Fetch(const std::shared_ptr<RequestSlots>& slots, FetchMethod method,
                                                  const std::stop_token& stop);

  bool Admit(const GroupPlan&) override { return true; }
  Result<std::vector<Destination>> DestinationsOf(const GroupPlan& group) override;
  void OnGroup(const FinishedGroup& group) override;
  void OnRunFailed(const Error& error) noexcept override;

 private:
  const std::span<const std::span<std::byte>> destinations_;
  const bool delivers_failures_;
  std::shared_ptr<DownloadRun> run_;

  Mutex mutex_;
  std::vector<std::optional<Error>> errors_ GUARDED_BY(mutex_);
  std::optional<Error> first_ GUARDED_BY(mutex_) = {};    // The earliest.
  std::size_t finished_ GUARDED_BY(mutex_) = 0;           // Sources.
  std::optional<Error> failure_ GUARDED_BY(mutex_) = {};  // Of the whole download.
};

}  // namespace gcsflux::internal
