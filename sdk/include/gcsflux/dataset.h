#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gcsflux/download.h"
#include "gcsflux/epoch.h"
#include "gcsflux/listing.h"

namespace gcsflux {

/// The default download options of datasets: as many connections as make downloads faster, and composites if they are
/// faster and cost only requests.
inline DownloaderOptions DatasetDownloads() {
  return {.max_concurrency = 256, .adapts_concurrency = true, .composition = CompositionMode::kAuto};
}

/// Which sample a transform makes. A transform that takes it as its last argument can augment at random so that a run
/// repeats exactly: the context is the same for any number of workers, ranks and threads, any batch size, and after the
/// run was resumed at a cursor.
struct SampleContext {
  std::uint64_t epoch = 0;  ///< From 0.
  std::size_t index = 0;    ///< The sample's object is this one of the listing.
  /// For a random number generator: 64 well mixed bits of EpochOptions::seed, epoch and index. Different for the
  /// samples of an epoch and, but for chance, for different epochs. If an order repeats a sample within an epoch, both
  /// have the same seed.
  std::uint64_t seed = 0;

  friend bool operator==(const SampleContext&, const SampleContext&) = default;
};

/// Keeps what a dataset has read on a local disk, so that later epochs and jobs need not fetch it again: objects,
/// samples of indexed shards, and shards. Processes of one user share a directory. An entry is found by bucket, name,
/// generation and range, and compared with its CRC32C whenever it is read: one that is damaged is removed and fetched
/// again. No failure of the disk fails a read. Objects under a customer-supplied key are not kept.
struct CacheOptions {
  /// It is made if it does not exist; its parent must. An existing directory must be empty or a cache, belong to this
  /// user, and give others no access (mode 0700): otherwise it is not used, as EventKind::kCacheUnusable and
  /// CacheReport::error say.
  std::string directory = {};
  /// Most bytes of all entries. If another one needs room, those that were not used for the longest time are removed.
  /// Processes that share a directory have the same bound. A larger object is not kept.
  std::uint64_t max_bytes = std::uint64_t{64} << 30;
};

/// What a disk cache has done for a dataset.
struct CacheReport {
  std::uint64_t hits = 0;           ///< Objects, samples and shards that were read from it.
  std::uint64_t hit_bytes = 0;      ///< Their bytes.
  std::uint64_t misses = 0;         ///< Those that were fetched, because it did not have them.
  std::uint64_t stored = 0;         ///< Entries that this dataset has written.
  std::uint64_t stored_bytes = 0;   ///< Their bytes.
  std::uint64_t evictions = 0;      ///< Entries that it has removed to make room.
  std::uint64_t evicted_bytes = 0;  ///< Their bytes.
  std::uint64_t damaged = 0;        ///< Entries that were removed because their bytes were wrong.
  std::string error = {};           ///< Why the directory is not used, or nothing more is kept; empty if neither.
};

/// How a dataset lists, downloads and decodes. The defaults suit objects of any size.
struct DatasetOptions {
  /// Datasets ignore `delivers_failures`; see `max_skipped`.
  DownloaderOptions download = DatasetDownloads();
  /// How the prefix is listed. Objects that stand for directories are always left out.
  ParallelListOptions listing = {};
  /// Threads that decode objects as they arrive. A thread that waits for a batch helps. With 0, only the waiting
  /// threads decode: the workers of a DataLoader, or the training loop. Raise it if the report's decode time limits the
  /// loop.
  int decode_threads = 2;
  /// Samples of a transform that wait to be requested. While they take this many bytes, or are this many, the decode
  /// threads decode no more ahead, and objects wait as they were downloaded. Samples that are being decoded come on
  /// top: one for each thread. A batch that is requested is decoded whatever its size. Lower them if memory is short.
  /// Raise them if decoding takes long for some batches. Tensors, strings, vectors and examples of them count with
  /// their content, other types with their sizeof(). For a type of your own, write `std::uint64_t SampleBytes(const
  /// Sample&)` in its namespace.
  std::uint64_t max_decoded_bytes = std::uint64_t{512} << 20;
  std::uint64_t max_decoded_samples = 65'536;  ///< The same bound as a number of samples.
  /// How many objects of the whole dataset may be left out because they are gone, damaged, or refused by the transform.
  /// The report counts and names them. The next one fails its batch. With 0, none may be left out.
  std::uint64_t max_skipped = 0;
  /// Samples without a transform are copies, and do not keep the downloaded memory. Set it if `allocator` gives memory
  /// that must be released soon.
  bool copy_out = false;
  /// Fetches the first objects of the next epoch while the loop uses the last ones of this epoch: 1,024 objects, or 4
  /// batches if that is more, within ClientOptions::max_undelivered_bytes. Turn it off if a dataset is used for one
  /// epoch only: the fetched objects would be wasted.
  bool fetch_across_epochs = true;
  /// Set it if a dataset is used for several epochs or jobs, and a local disk is faster than the network.
  std::optional<CacheOptions> cache = {};
};

/// How several datasets are mixed: MixedOrder().
struct MixOptions {
  /// The number of samples of each dataset, in the order in which they were joined: BasicMapDataset::parts().
  std::vector<std::size_t> sizes = {};
  /// One for each dataset: its share of an epoch's samples, in proportion to the sum. Finite and above 0.
  std::vector<double> weights = {};
  /// In an epoch; at least 1. By default as many as the datasets have together.
  std::optional<std::size_t> samples = {};
  std::uint64_t seed = 0;  ///< Another seed gives another order.
};

/// A mix of datasets that were joined (BasicMapDataset::Joined()). Each has exactly its share of each epoch's samples,
/// rounded to a whole number, at random places of the epoch. The samples of a dataset come in a shuffled order, which
/// the next epoch continues: each is used once before any is used again, in another order. Returns kInvalidArgument if
/// a weight is not finite or not above 0, a dataset is empty, or there is not one weight for each.
Result<GivenOrder> MixedOrder(MixOptions options);

/// Which objects of a listing: SelectObjects(). Those that meet all of the conditions.
struct Selection {
  std::function<bool(const ListedObject& object)> predicate = {};  ///< By name, size and so on. Null: all objects.
  /// A share of the objects, by a hash of `seed` and the name that is a number in [0, 1): those from `from` on and
  /// below `to`. An object stays in its share when others are added. {.to = 0.9} and {.from = 0.9} are a split into
  /// training and validation.
  double from = 0;
  double to = 1;           ///< At most 1.
  std::uint64_t seed = 0;  ///< Another seed gives another split.
};

/// The indices of the selected objects, in order. Returns kInvalidArgument if `from` and `to` are not in order and
/// between 0 and 1, or if the predicate throws.
Result<std::vector<std::size_t>> SelectObjects(std::span<const ListedObject> objects, const Selection& selection);

/// The objects of a listing with all metadata (ListPrefix), as datasets take them.
std::vector<ListedObject> ListedObjects(std::span<const ObjectMetadata> objects);

/// An object that took long to arrive, or was left out because it could not be used.
struct ReportedObject {
  std::string name = {};                 ///< "gs://bucket/name".
  std::chrono::nanoseconds duration{0};  ///< Of a slow one: from its request to its last byte.
  std::uint64_t bytes = 0;               ///< Of a slow one: its size.
  std::string reason = {};               ///< Of one that was left out: the error's message.
};

/// What a dataset has done since it was made: its speed, what slowed it down, and its cost. In a child of fork() it
/// includes what the parent had done.
struct DatasetReport {
  std::chrono::nanoseconds elapsed{0};  ///< Since the dataset was made, after its listing.
  /// Different epochs of which the loop took a batch. Batches that are requested beside the order of an epoch, by
  /// indices or by a sampler other than an EpochSampler, are of none.
  std::uint64_t epochs = 0;
  /// Batches that the loop took, or the workers of its DataLoader. A batch that failed is not counted.
  std::uint64_t batches = 0;
  /// Of these, batches that were requested beside an announced order: nothing was fetched ahead for them. If it is most
  /// of them, use MakeDataLoader() (torch/data_loader.h) in place of a sampler of libtorch's.
  std::uint64_t unannounced_batches = 0;
  std::uint64_t samples = 0;  ///< Samples in these batches.
  std::uint64_t bytes = 0;    ///< Bytes of the objects of these samples.

  /// Time that the loop waited for its next batch. Under a DataLoader its workers wait, and this is their sum.
  std::chrono::nanoseconds wait_time{0};
  std::chrono::nanoseconds decode_time{0};  ///< Time to decode objects: the sum over all threads.

  /// Bytes that are fetched and not yet taken, over all datasets and streams of the client:
  /// ClientOptions::max_undelivered_bytes bounds them.
  std::uint64_t held_bytes = 0;
  std::uint64_t max_held_bytes = 0;  ///< The highest value of held_bytes.

  /// Samples that a transform has made and the loop has not requested yet, and their bytes. The bounds are
  /// DatasetOptions::max_decoded_samples and max_decoded_bytes.
  std::uint64_t decoded_samples = 0;
  std::uint64_t decoded_bytes = 0;      ///< Of decoded_samples.
  std::uint64_t max_decoded_bytes = 0;  ///< The highest value of decoded_bytes.

  std::uint64_t skipped = 0;                         ///< Objects that were left out.
  std::vector<ReportedObject> skipped_objects = {};  ///< The first ten of them.
  std::vector<ReportedObject> slowest = {};          ///< At most ten, the slowest first.

  Counters client =
      {};            ///< What the client has done in the same time: retries, throttled requests, hedges, operations.
  double price = 0;  ///< Price of its operations, in US dollars: PriceOf().
  CompositionReport composition = {};  ///< What the downloads composed, and why not more.
  CacheReport cache = {};              ///< What DatasetOptions::cache has done.
};

/// Formats the report for a terminal: at most 26 lines, each with its units. Events that did not happen are left out.
/// Names and reasons are shown without control characters, and long ones are cut off.
std::string FormatReport(const DatasetReport& report);

}  // namespace gcsflux
