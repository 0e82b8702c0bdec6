#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "base/process/mutex.h"
#include "client/delivery_budget.h"
#include "gcsflux/download.h"
#include "transfer/download/block_pool.h"
#include "transfer/download/download_run.h"
#include "transfer/downloader/downloader_core.h"
#include "transfer/downloader/source_window.h"

namespace gcsflux::internal {

/// An object that has arrived, and its share of the client's budget.
struct ArrivedObject {
  DownloadedObject object = {};
  std::uint64_t charge = 0;
  std::chrono::nanoseconds took{0};  ///< Since it was begun.
};

/// Fetches a stream's sources as far ahead as the client's budget allows, and hands out each object as it arrives.
/// Thread-safe. Made by OwnedByProcess().
class FetchAhead : public Recipient {
 public:
  /// Any thread calls it, without a lock, once for each source. A failed object has its own error.
  using OnArrival = std::function<void(std::vector<ArrivedObject> objects)>;

  /// Any thread calls it, without a lock: there will be no more arrivals, mostly because there is no memory. Does not
  /// throw.
  using OnEnd = std::function<void(const Error& error)>;

  /// Called once for each group of consecutive sources, without a lock, before it is requested. False: none of them is
  /// needed any more. They are not requested, and arrive with an error.
  using IsNeeded = std::function<bool(std::size_t first, std::size_t count)>;

  /// How the sources are fetched, if not by the core.
  using MakeMethod = std::function<FetchMethod(SourceWindow& sources)>;

  /// Begins nothing yet. Without `is_needed` all sources are.
  FetchAhead(std::shared_ptr<const DownloaderCore> core, std::unique_ptr<SourceWindow> sources, OnArrival on_arrival,
             OnEnd on_end, IsNeeded is_needed = nullptr, const MakeMethod& make_method = nullptr);
  /// Cancels the fetches in progress, and gives back its share of the budget.
  ~FetchAhead() override;
  FetchAhead(const FetchAhead&) = delete;
  FetchAhead& operator=(const FetchAhead&) = delete;

  [[nodiscard]] const DownloaderCore& core() const { return *core_; }
  [[nodiscard]] const std::shared_ptr<const DownloaderCore>& shared_core() const { return core_; }
  [[nodiscard]] const DownloadSource& source(std::size_t index) const { return sources_->At(index); }

  /// Returns kLocalIo or kInvalidArgument if nothing can be fetched. Call Begin() or BeginAwaited(), once.
  Result<void> Begin();
  /// A caller waits for all sources: they are not fetched ahead, so the budget neither counts nor delays them.
  Result<void> BeginAwaited();
  /// The feed has new sources.
  void LookAgain() { run_->Offer(); }
  /// The consumer has taken objects with this charge, so they are not ahead any more. Has no effect after Close().
  void GiveBack(std::uint64_t charge);
  /// The source of an arrived object is not needed any more.
  void Drop(std::size_t index) { sources_->Drop(index); }
  /// Begins no more objects. Those in progress continue.
  void BeginNoMore() { run_->BeginNoMore(); }
  /// The same, and asks running fetches to stop.
  void Stop() { run_->Stop(); }
  /// Stops, waits until nothing runs, and gives back its share of the budget. Nothing arrives afterwards. May be called
  /// again.
  void Close();

  bool Admit(const GroupPlan& group) override;
  Result<std::vector<Destination>> DestinationsOf(const GroupPlan& group) override;
  void OnGroup(const FinishedGroup& group) override;
  void OnRunFailed(const Error& error) noexcept override { on_end_(error); }

 private:
  Result<Destination> Take(const DownloadSource& source);

  const std::shared_ptr<const DownloaderCore> core_;
  const std::unique_ptr<SourceWindow> sources_;
  const OnArrival on_arrival_;
  const OnEnd on_end_;
  const IsNeeded is_needed_;
  DeliveryBudget& budget_;
  const std::shared_ptr<BlockPool> blocks_;
  Mutex mutex_;
  // Set by Begin() before anything is fetched; not by BeginAwaited(). Close() resets it under mutex_ when nothing is
  // fetched.
  std::optional<DeliveryBudget::Consumer> consumer_ = {};
  const std::shared_ptr<DownloadRun> run_;
};

}  // namespace gcsflux::internal
