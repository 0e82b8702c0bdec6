#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "dataset/batch_order.h"
#include "dataset/dataset_tally.h"
#include "dataset/decode_threads.h"
#include "gcsflux/download.h"
#include "gcsflux/listing.h"
#include "loop/doorbell.h"
#include "transfer/downloader/fetch_ahead.h"

namespace gcsflux::internal {

/// How samples are made of objects.
struct SampleWork {
  /// Room for the samples of one batch.
  std::function<std::shared_ptr<void>(std::size_t samples)> make;
  /// Makes the sample of this place of a batch. Called by several threads at the same time, for each place once.
  /// Returns what it would throw; it may take the object's memory.
  std::function<std::exception_ptr(void* batch, std::size_t place, const ListedObject& object, DownloadedObject& bytes)>
      decode;
  /// It is quick and calls no user code: the thread that has fetched the object runs it.
  bool is_instant = false;
};

/// A batch for the training loop.
struct FinishedBatch {
  std::shared_ptr<void> samples = {};     ///< As SampleWork::make() has made it.
  std::vector<std::size_t> skipped = {};  ///< Places without a sample, in order.
  std::size_t size = 0;                   ///< Places.
  Cursor cursor = {};                     ///< Behind the batch.
  /// Why there is no batch, where one of these is set: of its first sample that failed.
  std::optional<Error> error = {};
  std::exception_ptr exception = {};
};

/// Batches of samples, fetched across their borders as far ahead as the client's budget admits, of the next epoch as
/// much as bridges its beginning, decoded as objects
/// arrive: by the threads for it, and by a thread that waits for a batch. What a batch that is claimed takes of the
/// budget is given back: it is the loop's. Thread-safe. In a child of fork() it is not destroyed: see BoundToProcess.
class BatchStream : public Workload, public std::enable_shared_from_this<BatchStream> {
 public:
  struct Settings {
    std::string bucket = {};
    /// The objects that the order's indices mean; they stay as long as the stream.
    std::function<const ListedObject&(std::size_t)> object_at = {};
    SampleWork work = {};
    std::weak_ptr<DecodeThreads> decoders = {};  ///< None: only those who wait decode.
    std::uint64_t max_skipped = 0;               ///< Objects of the whole dataset that may be left out.
    std::shared_ptr<DatasetTally> tally = {};
  };
  /// `start` is where the order begins.
  static std::shared_ptr<BatchStream> Make(std::shared_ptr<const DownloaderCore> core,
                                           std::unique_ptr<BatchOrder> order, const Cursor& start, Settings settings);
  ~BatchStream() override;
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;

  /// Errors as FetchAhead::Begin(). Once.
  Result<void> Begin() { return ahead_->Begin(); }
  /// The order has come to know more, or that it is over.
  void LookAgain();

  /// Whether the next batch that is not claimed is the one behind this cursor.
  [[nodiscard]] bool IsAt(const Cursor& cursor);

  /// The next batch of this epoch, to be awaited by the caller: its number. Nothing where the next batch is of another
  /// epoch, or there is none. Waits where that is not known yet. An error where the order has ended as one.
  Result<std::optional<std::uint64_t>> Claim(std::uint64_t epoch);
  /// The first batch with just these samples that is not claimed; nothing where it is not among the next ones.
  std::optional<std::uint64_t> ClaimSamples(std::span<const std::size_t> samples);
  /// Waits for a batch that the caller has claimed, and helps to decode it. Once for each.
  FinishedBatch Await(std::uint64_t batch);

  /// Ends everything: a thread that waits is told kCancelled. To be called before the last handle goes, which may be
  /// that of one of the threads that it would wait for.
  void Close();

  std::function<void()> Take() override;

 private:
  class Feed;
  struct Batch {
    PlannedBatch planned = {};
    std::size_t first = 0;  // Index of its first sample in the stream; of use where it is fed.
    bool is_fed = false;
    bool is_claimed = false;
    bool is_taken = false;
    std::shared_ptr<void> samples = {};
    std::size_t pending = 0;   // Samples that are not decoded.
    std::uint64_t charge = 0;  // Of what has come and was not given back.
    std::uint64_t bytes = 0;   // Of what was decoded.
    std::vector<std::size_t> skipped = {};
    std::size_t failed = 0;  // The place of the failure.
    std::optional<Error> error = {};
    std::exception_ptr exception = {};
  };
  using Arrived = std::map<std::size_t, DownloadedObject>;

  BatchStream(std::unique_ptr<BatchOrder> order, Cursor start, Settings settings)
      : settings_(std::move(settings)), order_(std::move(order)), before_(std::move(start)) {}

  std::vector<DownloadSource> NextSources();
  bool MayFeed(const PlannedBatch& batch);
  bool PlanOne();
  std::uint64_t ClaimAt(std::size_t position, std::unique_lock<std::mutex>& lock);
  void OnArrival(std::vector<ArrivedObject> objects);
  void Decode(std::unique_lock<std::mutex>& lock, Arrived::node_type object);
  void DecodeAnyone();
  void Note(Batch& batch, std::size_t place, std::optional<Error> error, std::exception_ptr exception);
  [[nodiscard]] Batch& BatchOf(std::size_t index);
  [[nodiscard]] bool MaySkip(const Batch& batch, std::size_t place, const std::optional<Error>& error,
                             const std::exception_ptr& exception);
  [[nodiscard]] bool IsDone(const Batch& batch) const { return batch.pending == 0 || is_closed_; }
  FinishedBatch TakeOut(Batch& batch);

  const Settings settings_;

  std::mutex mutex_;
  Doorbell changed_;
  // Guarded by mutex_:
  const std::unique_ptr<BatchOrder> order_;
  std::deque<Batch> batches_;  // From the first that was not taken on.
  Cursor before_;              // Behind those that were taken.
  std::uint64_t taken_ = 0;    // The number of the first of them.
  std::size_t fed_ = 0;        // So many of them are fed.
  std::size_t next_index_ = 0;
  std::optional<std::uint64_t> claimed_epoch_ = {};  // The latest of which a batch was claimed; at first the first.
  std::size_t fed_of_next_epoch_ = 0;                // Samples of the one behind it.
  Arrived arrived_;                                  // To be decoded.
  bool is_closed_ = false;

  std::unique_ptr<FetchAhead> ahead_;  // Last: it calls back into what stands above it.
};

}  // namespace gcsflux::internal
