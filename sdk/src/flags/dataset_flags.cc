// DatasetOptionsFromFlags. Programs that do not call it do not have its flags.
#include <gflags/gflags.h>

#include "flags/flag_values.h"
#include "gcsflux/flags.h"

DEFINE_int32(
    decode_threads, gcsflux::DatasetOptions().decode_threads,
    "Threads that make samples of objects as they arrive; a thread that waits for a batch helps. Raise it where "
    "decoding holds up the loop (the dataset's report says how long it takes).");
DEFINE_int64(max_skipped, 0,
             "Objects of a dataset that may be left out because they are gone, damaged or cannot be decoded; they are "
             "counted and named in its report. Set it where a few bad objects must not end a run; 0 leaves out none.");
DEFINE_bool(copy_out, false,
            "Samples without a transform are copies, and do not keep the memory that they were downloaded to. Set it "
            "where memory of an allocator must come back soon.");
DEFINE_bool(fetch_across_epochs, true,
            "Fetches the first objects of the next epoch while the last ones of this epoch are used. Set it to false "
            "where there is one epoch only.");
DEFINE_int32(list_parallelism, gcsflux::ParallelListOptions().parallelism,
             "Calls at the same time that list a dataset's prefix. Raise it (256) for more than some 20 million "
             "names; lower it where the bucket's quota serves others too.");

namespace gcsflux {
namespace {

using internal::WrongFlag;

bool IsGiven(const char* flag) { return !gflags::GetCommandLineFlagInfoOrDie(flag).is_default; }

Result<DownloaderOptions> Downloads() {
  const auto given = DownloaderOptionsFromFlags();
  if (!given) return given.error();
  DownloaderOptions downloads = *given;
  const DownloaderOptions defaults = DatasetDownloads();
  if (!IsGiven("max_concurrency")) downloads.max_concurrency = defaults.max_concurrency;
  if (!IsGiven("adapt_concurrency")) downloads.adapts_concurrency = defaults.adapts_concurrency;
  if (!IsGiven("composition")) downloads.composition.mode = defaults.composition.mode;
  return downloads;
}

}  // namespace

Result<DatasetOptions> DatasetOptionsFromFlags() {
  constexpr int kMostDecoders = 1024;
  if (FLAGS_decode_threads < 0 || FLAGS_decode_threads > kMostDecoders) {
    return WrongFlag("flag --decode_threads must be from 0 to 1024");
  }
  if (FLAGS_max_skipped < 0) return WrongFlag("flag --max_skipped must not be negative");
  if (FLAGS_list_parallelism < 1 || FLAGS_list_parallelism > kMaxConcurrency) {
    return WrongFlag("flag --list_parallelism must be from 1 to 10000");
  }
  const auto downloads = Downloads();
  if (!downloads) return downloads.error();
  return DatasetOptions{.download = *downloads,
                        .listing = {.parallelism = FLAGS_list_parallelism},
                        .decode_threads = FLAGS_decode_threads,
                        .max_skipped = static_cast<std::uint64_t>(FLAGS_max_skipped),
                        .copy_out = FLAGS_copy_out,
                        .fetch_across_epochs = FLAGS_fetch_across_epochs};
}

}  // namespace gcsflux
