#pragma once

#include <cstdint>

#include "gcsflux/download.h"
#include "gcsflux/listing.h"

namespace gcsflux {

/// The default download options of datasets: as many connections as make downloads faster, and composites if they are
/// faster and cost only requests.
inline DownloaderOptions DatasetDownloads() {
  return {.max_concurrency = 256, .adapts_concurrency = true, .composition = {.mode = CompositionMode::kAuto}};
}

/// How a dataset lists, downloads and decodes. The defaults suit objects of any size.
struct DatasetOptions {
  /// Datasets ignore `on_failure`; see `max_skipped`.
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
  std::uint64_t max_decoded_samples = 65'536;
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
};

}  // namespace gcsflux
