#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/dataset_options.h"
#include "gcsflux/download.h"
#include "gcsflux/epoch.h"
#include "gcsflux/listing_cache.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/operation_prices.h"
#include "gcsflux/options.h"
#include "gcsflux/parallel_writer.h"
#include "gcsflux/result.h"
#include "gcsflux/upload.h"

namespace gcsflux {

/// Reads `--name=value`, `--name value`, `--switch` and `--noswitch` (one dash works too) from anywhere on the line
/// and returns what is left, in order; everything after `--` is left alone.
///
/// kInvalidArgument with the flag's name where it is unknown or its value cannot be read. Call it once, before
/// threads start. `--help` is a switch of its own: see HelpRequested().
Result<std::vector<std::string>> ParseFlags(int argc, const char* const* argv);

/// True once ParseFlags() has seen --help or -h.
bool HelpRequested();

/// The program's own flags, those defined in files beside `program_file` (the __FILE__ of its main), then gcsflux's:
/// one per paragraph, with its default.
std::string FlagsHelp(std::string_view program_file);

/// The options that the flags describe: --endpoint, --project, --credentials, --download_retry_... and so on, with the
/// listeners that --log_level and --trace_file ask for.
/// kInvalidArgument where a value is out of its range, be it one for the functions below; kLocalIo where the trace
/// cannot be written; else as Credentials::FromFile fails.
Result<ClientOptions> ClientOptionsFromFlags();

/// What --decode_threads, --max_skipped, --list_parallelism and so on say, with the flags of downloads; a flag that was
/// not given leaves the datasets' own default. kInvalidArgument where one is out of its range.
Result<DatasetOptions> DatasetOptionsFromFlags();

/// What --batch_size, --epoch_order, --seed and so on say; --rank and --world_size are RANK and WORLD_SIZE of the
/// environment where they are not given. kInvalidArgument where one is out of its range.
Result<EpochOptions> EpochOptionsFromFlags();

/// What --max_concurrency and --stripe_bytes say. kInvalidArgument where one is out of its range.
Result<DownloaderOptions> DownloaderOptionsFromFlags();

/// What --upload_chunk_bytes says. kInvalidArgument where it is out of its range.
Result<UploadOptions> UploadOptionsFromFlags();

/// What --write_path, --part_bytes, --part_memory_bytes, --parts_in_flight and --upload_chunk_bytes say.
/// kInvalidArgument where one is out of its range.
Result<ParallelWriterOptions> ParallelWriterOptionsFromFlags();

/// What --max_concurrency and --read_ahead_bytes say. kInvalidArgument where one is out of its range.
Result<ObjectReaderOptions> ObjectReaderOptionsFromFlags();

/// Lists a prefix: through the object that --listing_cache names, not older than --listing_max_age_s, or by
/// ListInParallel where none is named. kInvalidArgument where a flag's value cannot be used; else errors of
/// ListThroughCache and ListInParallel.
Result<CachedListing> ListByFlags(const Client& client, const ObjectName& prefix,
                                  const ParallelListOptions& options = {});

/// What --class_a_price_per_1000 and --class_b_price_per_1000 say. kInvalidArgument where one is out of its range.
Result<OperationPrices> OperationPricesFromFlags();

/// Ends the file that --trace_file names, once all calls are over; without one it does nothing. A program that ends
/// without it leaves out a bracket only. kLocalIo where the timeline could not be written.
Result<void> CloseTraceFile();

}  // namespace gcsflux
