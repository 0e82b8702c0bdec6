#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/process/mutex.h"
#include "dataset/batch_order.h"
#include "dataset/dataset_tally.h"
#include "dataset/decode_threads.h"
#include "gcsflux/dataset.h"
#include "gcsflux/download.h"
#include "gcsflux/listing.h"
#include "loop/loop_condition.h"
#include "transfer/downloader/fetch_ahead.h"

namespace gcsflux::internal {

/// What a transform has made of an object, or the exception that it threw.
struct DecodedSample {
  std::uint64_t bytes = 0;  ///< Memory of the sample.
  std::exception_ptr exception = {};
};

/// How samples are made from objects.
struct SampleWork {
  /// Makes room for the samples of one batch.
  std::function<std::shared_ptr<void>(std::size_t samples)> make;
  /// Makes the sample at this place of a batch. Several threads call it at the same time, once for each place. It may
  /// take the object's memory.
  std::function<DecodedSample(void* batch, std::size_t place, const ListedObject& object, DownloadedObject& bytes,
                              const SampleContext& context)>
      decode;
  /// It is quick, calls no user code and takes no memory beside the object's: the thread that has fetched the object
  /// runs it.
  bool is_instant = false;
};

/// A batch for the training loop.
struct FinishedBatch {
  std::shared_ptr<void> samples = {};     ///< Made by SampleWork::make().
  std::vector<std::size_t> skipped = {};  ///< Places without a sample, in order.
  std::size_t size = 0;                   ///< Number of places.
  Cursor cursor = {};                     ///< The position behind the batch.
  /// If one of these is set, there is no batch: the failure of its first failed sample.
  std::optional<Error> error = {};
  std::exception_ptr exception = {};
};

/// Batches of samples. Their objects are fetched ahead within the client's budget, across batches, and for the
/// beginning of the next epoch. Objects are decoded as they arrive, by decode threads and by threads that wait for a
/// batch. Decode threads decode ahead within the limits of Settings. When the loop claims a batch, its share of the
/// budget and of these limits is given back.
///
/// A claimed batch never waits for the claim of another one. If a batch before it is not claimed, what is not yet
/// requested of the claimed batch is fetched beside the order, by the thread that awaits it. Thread-safe. Made by
/// OwnedByProcess().
class BatchStream : public TaskSource, public std::enable_shared_from_this<BatchStream> {
 public:
  struct Settings {
    std::string bucket = {};
    /// The object of an index. It must stay valid as long as the stream.
    std::function<const ListedObject&(std::size_t)> object_at = {};
    /// Where its bytes are. Null: in the object of this name.
    std::function<DownloadSource(std::size_t sample, const ListedObject& listed)> source_of = {};
    SampleWork work = {};
    std::weak_ptr<DecodeThreads> decoders = {};  ///< Null: only waiting threads decode.
    std::uint64_t max_skipped = 0;               ///< How many objects of the whole dataset may be left out.
    /// While unclaimed batches have so many decoded samples, or so many bytes of them, no more are decoded ahead.
    std::uint64_t max_decoded_samples = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t max_decoded_bytes = std::numeric_limits<std::uint64_t>::max();
    std::shared_ptr<DatasetTally> tally = {};
    bool holds_samples = false;  ///< The order gives the samples' bytes: PlannedBatch::held.
  };
  /// `start` is the beginning of the order.
  static std::shared_ptr<BatchStream> Make(std::shared_ptr<const DownloaderCore> core,
                                           std::unique_ptr<BatchOrder> order, const Cursor& start, Settings settings);
  ~BatchStream() override;
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;

  /// The errors are those of FetchAhead::Begin(). Call Begin() or BeginAwaited(), once.
  Result<void> Begin() { return ahead_->Begin(); }
  /// For batches of no epoch that the caller has claimed: the budget does not delay them.
  Result<void> BeginAwaited();
  /// Call it when the order has more batches, or has ended.
  void LookAgain();

  /// Whether the next unclaimed batch is the one behind this cursor. False if it is known that there is none.
  [[nodiscard]] bool IsAt(const Cursor& cursor);

  /// Claims the next batch of this epoch and returns its number; the caller must await it. Nothing if the next batch is
  /// of another epoch, or there is none. If that is not known yet, waits. Returns an error if the order has ended with
  /// one.
  Result<std::optional<std::uint64_t>> Claim(std::uint64_t epoch);
  /// Claims the first unclaimed batch of this epoch with exactly these samples. Nothing if it is not among the next
  /// ones: few batches beyond the fetched ones are searched, because searching plans them.
  std::optional<std::uint64_t> ClaimSamples(std::uint64_t epoch, std::span<const std::size_t> samples);
  /// Waits for a batch that the caller has claimed, and helps to decode it. Call it once for each.
  FinishedBatch Await(std::uint64_t batch);

  /// Ends everything: waiting threads get kCancelled. Call it before the last handle is destroyed, because one of the
  /// threads that the destructor waits for may hold that handle.
  void Close();

  std::function<void()> Take() override;

 private:
  class Feed;
  struct Batch {
    PlannedBatch planned = {};
    std::size_t first = 0;     // Index of its first sample in the stream, if it is fed.
    std::size_t in_order = 0;  // So many of its first samples are fetched in the stream's order; the others beside it.
    bool is_fed = false;
    bool is_claimed = false;
    bool is_taken = false;
    std::shared_ptr<void> samples = {};
    std::size_t pending = 0;   // Samples that are not decoded yet.
    std::uint64_t charge = 0;  // For objects that have arrived, not yet given back.
    DecodedAhead ahead = {};   // Until it is claimed.
    std::uint64_t bytes = 0;   // Bytes of the decoded objects.
    std::vector<std::size_t> skipped = {};
    std::size_t failed = 0;  // Place of the failure.
    std::optional<Error> error = {};
    std::exception_ptr exception = {};
  };
  // A sample by the number of its batch and its place there.
  using Turn = std::pair<std::uint64_t, std::size_t>;
  using Arrived = std::map<Turn, DownloadedObject>;

  BatchStream(std::unique_ptr<BatchOrder> order, Cursor start, Settings settings)
      : settings_(std::move(settings)), order_(std::move(order)), before_(std::move(start)) {}

  std::vector<DownloadSource> NextSources();
  std::vector<DownloadSource> FeedMore() REQUIRES(mutex_);
  bool MayFeed(const PlannedBatch& batch) REQUIRES(mutex_);
  bool PlanOne() REQUIRES(mutex_);
  [[nodiscard]] bool MayPlan(std::size_t unclaimed, std::size_t wanted) const REQUIRES(mutex_);
  void Prepare(Batch& batch);
  std::uint64_t ClaimAt(std::size_t position, MutexLock<Mutex>& lock) REQUIRES(mutex_, lock);  // Unlocks.
  bool IsNeeded(std::size_t first, std::size_t count);
  void OnArrival(std::vector<ArrivedObject> objects);
  void End(const Error& error);
  [[nodiscard]] const ListedObject& ListedAt(const Batch& batch, std::size_t place) const;
  [[nodiscard]] DownloadSource SourceOf(const Batch& batch, std::size_t place) const;
  [[nodiscard]] std::string UriOf(const Batch& batch, std::size_t place) const;
  HeldSample TakeHeld(std::size_t index);
  Result<std::shared_ptr<FetchAhead>> FetchBeside(std::uint64_t number, const Batch& batch);
  void Add(MutexLock<Mutex>& lock, Turn turn, ArrivedObject arrived) REQUIRES(mutex_, lock);
  void OfferToDecoders();
  void Count(Batch& batch, const DecodedAhead& more) REQUIRES(mutex_);
  Arrived::iterator NextToDecode() REQUIRES(mutex_);
  void Decode(MutexLock<Mutex>& lock, Arrived::node_type object) REQUIRES(mutex_, lock);
  void DecodeAnyone();
  void Note(Batch& batch, std::size_t place, std::optional<Error> error, std::exception_ptr exception);
  [[nodiscard]] std::optional<Turn> TurnOf(std::size_t index) const REQUIRES(mutex_);
  [[nodiscard]] Batch& Numbered(std::uint64_t number) REQUIRES(mutex_) {
    return batches_[static_cast<std::size_t>(number - taken_)];
  }
  [[nodiscard]] bool MaySkip(const Batch& batch, std::size_t place, const std::optional<Error>& error,
                             const std::exception_ptr& exception);
  [[nodiscard]] bool IsDone(const Batch& batch) const REQUIRES(mutex_) { return batch.pending == 0 || ended_; }
  FinishedBatch TakeOut(Batch& batch) REQUIRES(mutex_);

  const Settings settings_;

  Mutex mutex_;
  LoopCondition changed_;
  const std::unique_ptr<BatchOrder> order_ PT_GUARDED_BY(mutex_);
  std::deque<Batch> batches_ GUARDED_BY(mutex_);  // From the first one that is not taken.
  Cursor before_ GUARDED_BY(mutex_);              // Behind the batches that were taken.
  std::uint64_t taken_ GUARDED_BY(mutex_) = 0;    // Number of the first one in batches_.
  std::size_t fed_ GUARDED_BY(mutex_) = 0;        // How many of them are fed.
  std::size_t unfed_ GUARDED_BY(mutex_) = 0;      // Samples of the others.
  std::size_t next_index_ GUARDED_BY(mutex_) = 0;
  std::size_t begun_ GUARDED_BY(mutex_) = 0;        // Behind the last index that is requested.
  bool is_of_no_epoch_ GUARDED_BY(mutex_) = false;  // See BeginAwaited().
  // The latest epoch with a claimed batch; at first the first epoch.
  std::optional<std::uint64_t> claimed_epoch_ GUARDED_BY(mutex_) = {};
  std::size_t fed_of_next_epoch_ GUARDED_BY(mutex_) = 0;  // Samples of the epoch behind it.
  Arrived arrived_ GUARDED_BY(mutex_);                    // To be decoded.
  DecodedAhead decoded_ GUARDED_BY(mutex_);               // Of all unclaimed batches.
  std::optional<Error> ended_ GUARDED_BY(mutex_) = {};    // Closed, or failed.

  std::unique_ptr<FetchAhead> ahead_;  // Last: it calls the members above.
};

}  // namespace gcsflux::internal
