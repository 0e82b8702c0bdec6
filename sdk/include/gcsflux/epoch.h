#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/result.h"

// The order of the samples of an epoch, their division among processes, and the position of a run. The order depends
// only on the options below: it is the same for any number of ranks, workers and threads.
namespace gcsflux {

/// The order of an epoch's samples.
enum class SampleOrder {
  kByName,  ///< The order of the listing, the same in every epoch.
  /// A permutation determined by seed and epoch; it takes at most 8 KiB. Up to 4,096 samples, every order is as likely
  /// as any other.
  kShuffled,
  /// Each sample is drawn from a buffer of the next EpochOptions::shuffle_buffer names, as seed and epoch determine.
  /// This shuffle does not wait for the end of the listing. For IterableDataset only. Choose it if a listing takes
  /// long, and objects with similar names may be close to each other in the epoch.
  kBuffered,
  kGiven,  ///< EpochOptions::given.
};

/// An order of the caller's own, epoch by epoch: a subset, a curriculum, samples drawn by weight. It is announced to
/// the dataset like any other order, so its objects are fetched ahead, composed and divided among ranks, and a run
/// resumes in it. A handle: copies share it. Thread-safe.
class GivenOrder {
 public:
  /// `indices_of` returns an epoch's samples, in order, as indices into the listing. It may leave out samples, and
  /// repeat them. For the same epoch it must return the same indices, in a later process too: a cursor has a hash of
  /// them, and is refused if they differ. The thread that begins a loop calls it, for the loop's epoch and for the two
  /// after it. If it throws, an index is past the end, or this rank has no batch, that loop fails with
  /// kInvalidArgument.
  explicit GivenOrder(std::function<std::vector<std::size_t>(std::uint64_t epoch)> indices_of);
  /// The same indices in each epoch.
  explicit GivenOrder(std::vector<std::size_t> indices);

  /// In each epoch `samples` samples (at least 1), drawn with probabilities in proportion to their weights, one weight
  /// for each object of the listing. A sample may be drawn several times. Another seed draws other samples. Returns
  /// kInvalidArgument if a weight is negative, infinite or not a number, or if the weights are all 0.
  static Result<GivenOrder> Weighted(std::vector<double> weights, std::size_t samples, std::uint64_t seed = 0);
  /// The same, but each sample is drawn at most once in an epoch. Returns kInvalidArgument also if fewer than `samples`
  /// weights are above 0.
  static Result<GivenOrder> WeightedWithoutReplacement(std::vector<double> weights, std::size_t samples,
                                                       std::uint64_t seed = 0);

  struct Shared;  ///< Internal.
  [[nodiscard]] Shared& shared() const { return *shared_; }

 private:
  std::shared_ptr<Shared> shared_;
};

/// What happens with the last samples of an epoch if they do not fill a batch for every rank.
enum class EpochTail {
  /// All samples are used, in smaller batches. Only this rule uses each sample exactly once. Every rank has the same
  /// number of batches, with two exceptions: a batch size of 1, and fewer remaining samples than ranks. Then the last
  /// ranks have one batch less, and the other ranks must not wait for them.
  kUneven,
  kDrop,  ///< These samples are left out of this epoch. Choose it if every batch must have the same size.
  /// Samples from the beginning of the epoch fill the batches, and are used twice, or more often if there are fewer
  /// samples than in a global batch. Choose it if every batch must have the same size and no sample may be left out.
  kPad,
};

/// The largest batch: with kPad a batch is filled up to its size, however few samples there are.
inline constexpr std::uint64_t kMaxBatchSize = 1 << 24;

/// How an epoch is divided into batches. A global batch is `world_size` batches of consecutive samples in the epoch's
/// order. Each rank uses its own batch of it.
struct EpochOptions {
  /// How samples are ordered within an epoch. By default kShuffled, or with `given` kGiven.
  std::optional<SampleOrder> order = {};
  std::optional<GivenOrder> given = {};  ///< An order of your own, in place of another `order`.
  /// How many epochs there will be, if that is known: nothing is fetched ahead for a later one.
  std::optional<std::uint64_t> epochs = {};
  EpochTail tail = EpochTail::kUneven;    ///< What happens with the samples that fill no batch.
  std::uint64_t shuffle_buffer = 10'000;  ///< A number of names, for kBuffered; at least 1.
  /// Another seed gives another order of the same samples. Change it between runs that should differ; all ranks have
  /// the same seed.
  std::uint64_t seed = 0;
  std::uint64_t batch_size = 1;  ///< Samples in a batch of one rank; 1 to kMaxBatchSize.
  std::uint64_t rank = 0;        ///< Below `world_size`.
  std::uint64_t world_size = 1;  ///< At least 1, and below 2^32.

  /// `order`, or its default.
  [[nodiscard]] SampleOrder sample_order() const {
    return order.value_or(given ? SampleOrder::kGiven : SampleOrder::kShuffled);
  }
};

/// Distinguishes one listing from another.
struct ListingFingerprint {
  std::string bucket = {};  ///< The bucket of the prefix.
  std::string prefix = {};  ///< What was listed; may be empty.
  std::uint64_t count = 0;  ///< Objects.
  std::uint64_t hash = 0;   ///< Hash of their names and generations, in their order.
  /// The listing was not complete: count and hash cover its first objects by name.
  bool is_partial = false;

  friend bool operator==(const ListingFingerprint&, const ListingFingerprint&) = default;
};

/// Where a rank continues in shards that have no index (torch/shard_dataset.h): only this rank of so many can.
struct ShardPosition {
  std::uint64_t rank = 0;        ///< The rank that can continue, from 0.
  std::uint64_t world_size = 1;  ///< The number of ranks.
  std::uint64_t shard = 0;       ///< The first of the rank's shards of the epoch, in their order, that is read again.
  std::uint64_t samples_before = 0;  ///< Samples of the shards before it.
  std::uint64_t samples = 0;         ///< Of all the rank's shards, if it is known; otherwise 0.

  friend bool operator==(const ShardPosition&, const ShardPosition&) = default;
};

/// The position of a run. A value: save it with the model. A later run continues at the next sample, on any number of
/// ranks and with any batch size.
struct Cursor {
  std::uint64_t seed = 0;                      ///< EpochOptions::seed of the run.
  std::uint64_t epoch = 0;                     ///< From 0, below 2^63.
  std::uint64_t consumed = 0;                  ///< Samples of this epoch that all ranks together have used.
  SampleOrder order = SampleOrder::kShuffled;  ///< EpochOptions::order of the run.
  std::uint64_t shuffle_buffer = 0;            ///< Under kBuffered, and under kShuffled with `shards`.
  std::uint64_t order_hash = 0;     ///< Under kGiven, of the epoch's indices; 0 at the beginning of an epoch.
  ListingFingerprint listing = {};  ///< Of the objects; another listing is refused.
  /// Of shards without an index: `consumed` are samples of this rank, and `listing` is of the shards.
  std::optional<ShardPosition> shards = {};

  friend bool operator==(const Cursor&, const Cursor&) = default;
};

/// The cursor as JSON that people can read and edit: {"format": 2, "seed": 7, "epoch": 2, "consumed": 1024, ...}. If
/// the bucket or the prefix is not UTF-8, it is written as hexadecimal digits, in "bucket_hex" or "prefix_hex".
std::string FormatCursor(const Cursor& cursor);

/// Reads the output of FormatCursor(). Returns kInvalidArgument with the field's name if the text was cut off, a field
/// is missing or has another type, or the format is another one than this library's.
Result<Cursor> ParseCursor(std::string_view text);

/// Checks that a run over `listing` with these options can continue at the cursor. Returns kInvalidArgument with the
/// difference if the listing, the seed or the order is another one, more samples are consumed than there are, or the
/// epoch is not below 2^63. A cursor of the first objects of a listing (is_partial) has the same listing only if that
/// is of the same first objects; datasets compare these.
///
/// With `allow_changed_listing` another listing is allowed. The position then stays the same number: in this epoch some
/// samples may be used twice, some not at all, and new ones may be missing. From the next epoch on each sample of the
/// new listing is used once.
Result<void> CheckCursor(const Cursor& cursor, const ListingFingerprint& listing, const EpochOptions& options,
                         bool allow_changed_listing = false);

}  // namespace gcsflux
