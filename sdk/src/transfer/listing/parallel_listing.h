#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process/mutex.h"
#include "base/process/owner_process.h"
#include "gcsflux/listing.h"
#include "loop/request_slots.h"
#include "transfer/listing/delivery.h"
#include "transfer/listing/scheduler.h"
#include "wire/listed_page.h"

namespace gcsflux::internal::listing {

/// Carries out the scheduler's decisions. Its calls run on the client's event loops and return their pages; the thread
/// that calls Run delivers. If no loop can be started, that thread makes the calls too. Used once.
class ParallelListing final : private TaskSource {
 public:
  ParallelListing(const Client& client, ObjectName prefix, DeliveryOrder order, const ListingSink& sink,
                  const ParallelListOptions& options);

  Result<Listing> Run();

 private:
  std::function<void()> Take() override;
  [[nodiscard]] bool MayCall() const REQUIRES(mutex_);
  PageCall NextCall() REQUIRES(mutex_);
  void MakeCall(const PageCall& call);
  void OfferCalls();
  [[nodiscard]] Result<ListedPage> Ask(const PageCall& call);
  Result<void> OnPage(const PageCall& call, ListedPage page);
  void Accept(const PageCall& call, Delivery::Batch objects, const PageView& page) REQUIRES(mutex_);
  void BeginCalls() REQUIRES(mutex_);
  void Fail(Error error) REQUIRES(mutex_);
  void End();
  Result<void> Deliver();
  Result<void> DeliverBatch(Delivery::Batch batch);
  void Filter(Delivery::Batch& batch) const;
  void Count(const Delivery::Batch& batch);
  [[nodiscard]] Listing Report() const;

  const Client& client_;
  const ObjectName prefix_;
  const ListingSink& sink_;
  const ParallelListOptions& options_;
  const std::size_t max_concurrency_;
  const std::size_t max_ready_ = 2 * max_concurrency_ + 4;  // batches that are not taken yet
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const Counters counters_before_;
  const std::vector<InternedName> storage_classes_;  // Empty means all.
  const bool skips_composites_;
  const OwnerProcess owner_;
  std::stop_source stop_;
  ListedPageParser parser_;
  Listing listing_;  // of the thread that delivers

  mutable Mutex mutex_;
  std::condition_variable_any has_news_;  // for the thread that delivers
  Scheduler scheduler_ GUARDED_BY(mutex_);
  Delivery delivery_ GUARDED_BY(mutex_);
  std::deque<PageCall> calls_ GUARDED_BY(mutex_);  // to be made
  std::size_t made_ GUARDED_BY(mutex_) = 0;        // calls
  std::optional<Error> error_ GUARDED_BY(mutex_);  // the first
  bool is_over_ GUARDED_BY(mutex_) = false;        // no more calls

  std::unique_ptr<RequestSlots> slots_;  // Last: they end before the members that they use.
};

}  // namespace gcsflux::internal::listing
