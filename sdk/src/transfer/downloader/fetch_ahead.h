#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "client/delivery_budget.h"
#include "gcsflux/download.h"
#include "transfer/download/block_pool.h"
#include "transfer/download/download_run.h"
#include "transfer/downloader/downloader_core.h"
#include "transfer/downloader/source_window.h"

namespace gcsflux::internal {

/// An object that has come, and what it takes of the client's budget.
struct ArrivedObject {
  DownloadedObject object = {};
  std::uint64_t charge = 0;
  std::chrono::nanoseconds took{0};  ///< From when it was begun.
};

/// Fetches a stream's sources as far ahead as the client's budget admits, and hands out each as it comes. Thread-safe.
/// In a child of fork() it is not destroyed: see BoundToProcess.
class FetchAhead : public Recipient {
 public:
  /// Called by any thread, under no lock, for each source once. What has failed is an error of its own there.
  using OnArrival = std::function<void(std::vector<ArrivedObject> objects)>;

  /// Begins nothing yet.
  FetchAhead(std::shared_ptr<const DownloaderCore> core, std::unique_ptr<SourceWindow> sources, OnArrival on_arrival);
  /// Ends what is being fetched, and gives back what it holds.
  ~FetchAhead() override;
  FetchAhead(const FetchAhead&) = delete;
  FetchAhead& operator=(const FetchAhead&) = delete;

  [[nodiscard]] const DownloaderCore& core() const { return *core_; }
  [[nodiscard]] const DownloadSource& source(std::size_t index) const { return sources_->At(index); }

  /// kLocalIo or kInvalidArgument where nothing can be fetched. Once.
  Result<void> Begin();
  /// The feed has come to know more.
  void LookAgain() { run_->Offer(); }
  /// So much of what has come is not ahead any more: the consumer has it. Of no effect after Close().
  void GiveBack(std::uint64_t charge);
  /// The source of an object that has come is of no more use.
  void Drop(std::size_t index) { sources_->Drop(index); }
  /// Begins no more objects; those begun go on.
  void BeginNoMore() { run_->BeginNoMore(); }
  /// And asks what is running to stop.
  void Stop() { run_->Stop(); }
  /// Stops, waits until nothing runs, and gives back what it holds. Nothing arrives afterwards. May be called again.
  void Close();

  bool Admit(const UnitPlan& unit) override;
  Result<std::vector<Destination>> DestinationsOf(const UnitPlan& unit) override;
  void OnUnit(const FinishedUnit& unit) override;

 private:
  const std::shared_ptr<const DownloaderCore> core_;
  const std::unique_ptr<SourceWindow> sources_;
  const OnArrival on_arrival_;
  DeliveryBudget& budget_;
  const std::shared_ptr<BlockPool> blocks_;
  std::mutex mutex_;
  // Set by Begin(), before anything is fetched; reset by Close() under mutex_, when nothing is.
  std::optional<DeliveryBudget::Consumer> consumer_ = {};
  const std::shared_ptr<DownloadRun> run_;
};

}  // namespace gcsflux::internal
