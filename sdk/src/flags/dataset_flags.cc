// DatasetOptionsFromFlags. Programs that do not call it do not have its flags.
#include <gflags/gflags.h>

#include "flags/flag_values.h"
#include "gcsflux/flags.h"

DEFINE_int32(decode_threads, gcsflux::DatasetOptions().decode_threads,
             "Threads that decode objects as they arrive; a thread that waits for a batch helps. Raise it if "
             "decoding slows the loop down (the dataset's report shows how long it takes).");
DEFINE_int64(max_decoded_bytes, gcsflux::internal::AsInt64(gcsflux::DatasetOptions().max_decoded_bytes),
             "Bytes of decoded samples that wait to be requested; beyond it nothing more is decoded ahead. Lower it if "
             "memory is short; raise it if some batches take long to decode.");
DEFINE_int64(max_decoded_samples, gcsflux::internal::AsInt64(gcsflux::DatasetOptions().max_decoded_samples),
             "Decoded samples that wait to be requested; beyond it nothing more is decoded ahead. Lower it if the "
             "size of samples is not known, as their type is neither a tensor nor made of them.");
DEFINE_int64(max_skipped, 0,
             "Objects of a dataset that may be left out because they are gone, damaged or cannot be decoded; "
             "its report counts and names them. Set it if a few bad objects must not end a run; with 0, none "
             "may be left out.");
DEFINE_bool(copy_out, false,
            "Samples without a transform are copies, and do not keep the downloaded memory. Set it if an "
            "allocator's memory must be released soon.");
DEFINE_bool(fetch_across_epochs, true,
            "Fetches the first objects of the next epoch while the loop uses the last ones of this epoch. "
            "Set it to false if there is only one epoch.");
DEFINE_string(
    cache_dir, "",
    "Directory of a local disk that keeps what datasets have read: later epochs and jobs read it from there. It "
    "is made if it does not exist; its parent must. Set it if a dataset is read more than once and the disk "
    "is faster than the network.");
DEFINE_int64(cache_bytes, gcsflux::internal::AsInt64(gcsflux::CacheOptions().max_bytes),
             "Most bytes in --cache_dir; beyond it, what was not used for the longest time is removed.");
DEFINE_int32(list_max_concurrency, gcsflux::ParallelListOptions().max_concurrency,
             "Most calls at the same time to list a dataset's prefix. Raise it (256) for more than about 20 "
             "million names. Lower it if other clients need the bucket's quota.");

namespace gcsflux {
namespace {

bool IsGiven(const char* flag) { return !gflags::GetCommandLineFlagInfoOrDie(flag).is_default; }

Result<DownloaderOptions> Downloads() {
  const auto given = DownloaderOptionsFromFlags();
  if (!given) return given.error();
  DownloaderOptions downloads = *given;
  const DownloaderOptions defaults = DatasetDownloads();
  if (!IsGiven("max_concurrency")) downloads.max_concurrency = defaults.max_concurrency;
  if (!IsGiven("adapt_concurrency")) downloads.adapts_concurrency = defaults.adapts_concurrency;
  if (!IsGiven("composition")) downloads.composition = defaults.composition;
  return downloads;
}

}  // namespace

Result<DatasetOptions> DatasetOptionsFromFlags() {
  DatasetOptions options;
  auto read = internal::ReadFlags({{"list_max_concurrency", &options.listing.max_concurrency},
                                   {"decode_threads", &options.decode_threads},
                                   {"max_decoded_bytes", &options.max_decoded_bytes},
                                   {"max_decoded_samples", &options.max_decoded_samples},
                                   {"max_skipped", &options.max_skipped},
                                   {"copy_out", &options.copy_out},
                                   {"fetch_across_epochs", &options.fetch_across_epochs}});
  if (!read) return read.error();
  CacheOptions cache{.directory = FLAGS_cache_dir};
  if (auto bytes = internal::ReadFlags({{"cache_bytes", &cache.max_bytes}}); !bytes) return bytes.error();
  if (!cache.directory.empty()) options.cache = std::move(cache);
  const auto downloads = Downloads();
  if (!downloads) return downloads.error();
  options.download = *downloads;
  return options;
}

}  // namespace gcsflux
