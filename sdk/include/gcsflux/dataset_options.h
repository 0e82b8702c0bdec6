#pragma once

#include <cstdint>

#include "gcsflux/download.h"
#include "gcsflux/listing.h"

namespace gcsflux {

/// What datasets download with, where nothing else is asked for: as many connections as make it faster, and composites
/// where they are faster and cost nothing but requests.
inline DownloaderOptions DatasetDownloads() {
  return {.max_concurrency = 256, .adapts_concurrency = true, .composition = {.mode = CompositionMode::kAuto}};
}

/// How a dataset lists, downloads and decodes. The defaults are meant to be right for objects of any size.
struct DatasetOptions {
  /// `on_failure` is of no effect here: see `max_skipped`.
  DownloaderOptions download = DatasetDownloads();
  /// Of the prefix. Objects that stand for directories are left out whatever it says.
  ParallelListOptions listing = {};
  /// Threads that make samples of objects as they arrive; a thread that waits for a batch helps. 0 leaves it to those
  /// that wait: the workers of a DataLoader, or the training loop. Raise it where Report's decode time limits the loop.
  int decode_threads = 2;
  /// Objects of the whole dataset that may be left out of their batches because they are gone, damaged, or refused by
  /// the transform; they are counted and named in the report. One more fails its batch. 0 leaves out none.
  std::uint64_t max_skipped = 0;
  /// Samples made without a transform are copies, and do not keep the downloaded memory. Set it where `allocator` gives
  /// memory that must come back soon.
  bool copy_out = false;
  /// The next epoch's first objects are fetched while the last ones of this epoch are used: 1,024 of them, or 4 batches
  /// where that is more, as far as ClientOptions::max_undelivered_bytes goes. Turn it off where a dataset is used for
  /// one epoch only: they are then fetched in vain.
  bool fetch_across_epochs = true;
};

}  // namespace gcsflux
