#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/fork.h"
#include "gcsflux/listing.h"
#include "transfer/listing/delivery.h"
#include "transfer/listing/scheduler.h"
#include "wire/listed_page.h"

namespace gcsflux::internal::listing {

/// Does what the scheduler decides: threads that make its calls and hand it their pages, while the thread that calls
/// Run delivers. Where no thread can be started it makes the calls too. Used once.
class ParallelListing {
 public:
  ParallelListing(const Client& client, ObjectName prefix, ListingOrder order, const ListingSink& sink,
                  const ParallelListOptions& options);

  Result<ListingReport> Run();

 private:
  void Work();
  void MakeCall(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] Result<ListedPage> Ask(const Call& call);
  Result<void> OnPage(const Call& call, ListedPage page);
  void Accept(const Call& call, Delivery::Batch objects, const PageView& page);
  void BeginCalls(std::size_t free_threads);
  void AddThreads(std::size_t free_threads);
  void Fail(Error error);
  void End();
  Result<void> Deliver();
  Result<void> DeliverBatch(Delivery::Batch batch);
  void Filter(Delivery::Batch& batch) const;
  void Count(const Delivery::Batch& batch);
  [[nodiscard]] ListingReport Report() const;

  const Client& client_;
  const ObjectName prefix_;
  const ListingSink& sink_;
  const ParallelListOptions& options_;
  const std::size_t parallelism_;
  const std::size_t max_ready_ = 2 * parallelism_ + 4;  // batches that nobody has taken
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const Counters counters_before_;
  const std::vector<StorageClass> storage_classes_;  // None: all.
  const bool skips_composites_;
  const ProcessMark made_in_;
  std::stop_source stop_;
  ListedPageParser parser_;
  ListingReport report_;  // of the thread that delivers

  std::mutex mutex_;
  std::condition_variable_any has_news_;   // for the thread that delivers
  std::condition_variable_any has_calls_;  // for those that make calls
  Scheduler scheduler_;                    // This and all below: guarded by mutex_.
  Delivery delivery_;
  std::deque<Call> calls_;             // to be made
  std::size_t made_ = 0;               // calls
  std::size_t idle_ = 0;               // threads
  std::optional<Error> error_;         // the first
  std::optional<Error> shortage_;      // why there are fewer threads than there could be
  bool is_over_ = false;               // no more threads
  std::vector<std::jthread> threads_;  // Last: they end before the members that they use.
};

}  // namespace gcsflux::internal::listing
