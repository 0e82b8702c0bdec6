#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/dataset.h"
#include "gcsflux/download.h"
#include "gcsflux/epoch.h"
#include "gcsflux/events.h"
#include "gcsflux/listing.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/options.h"
#include "gcsflux/result.h"
#include "gcsflux/upload.h"

namespace gcsflux {

/// Reads `--name=value`, `--name value`, `--switch` and `--noswitch` (or with one dash) from anywhere on the line. In a
/// name, - is the same as _. Returns the other arguments in order. It does not read flags after `--`.
///
/// Returns kInvalidArgument with the flag's name if a flag is unknown or its value cannot be read; for an unknown one
/// the message also names the flag that was probably meant. Call it once, before threads start. HelpRequested() tells
/// whether `--help` was given.
Result<std::vector<std::string>> ParseFlags(int argc, const char* const* argv);

/// True if ParseFlags() has read --help or -h.
bool HelpRequested();

/// The help of all flags: first the program's own, which are defined in files in the directory of `program_file` (the
/// __FILE__ of its main), then those of gcsflux. Each flag is a paragraph with its default.
std::string FlagsHelp(std::string_view program_file);

/// The client options that the flags describe: --endpoint, --project, --credentials, --download_retry_... and so on,
/// with the listeners for --log_level and --trace_file. Returns kInvalidArgument if a value is out of its range, also
/// for flags of the functions below. Returns kLocalIo if the trace cannot be written. Other errors are those of
/// Credentials::FromFile.
Result<ClientOptions> ClientOptionsFromFlags();

/// The dataset options that --decode_threads, --max_skipped, --list_max_concurrency and so on describe, and the flags
/// of downloads. If a flag is not given, the datasets' own default holds. Returns kInvalidArgument if a value is out of
/// its range.
Result<DatasetOptions> DatasetOptionsFromFlags();

/// The epoch options that --batch_size, --epoch_order, --seed and so on describe. If --rank and --world_size are not
/// given, RunEnvironment::Detect() says which rank this process is. Returns kInvalidArgument if one of the two is given
/// without the other or a value is out of its range, and the errors of Detect().
Result<EpochOptions> EpochOptionsFromFlags();

/// The options that --max_concurrency and --range_bytes describe. Returns kInvalidArgument if a value is out of its
/// range.
Result<DownloaderOptions> DownloaderOptionsFromFlags();

/// The options that --write_path, --part_bytes, --part_memory_bytes, --upload_max_concurrency and --upload_chunk_bytes
/// describe. Returns kInvalidArgument if a value is out of its range.
Result<UploadOptions> UploadOptionsFromFlags();

/// The options that --max_concurrency and --read_ahead_bytes describe. Returns kInvalidArgument if a value is out of
/// its range.
Result<ObjectReaderOptions> ObjectReaderOptionsFromFlags();

/// Lists a prefix. If --listing_cache names an object, lists through it, and accepts a listing not older than
/// --listing_max_age_s. Otherwise uses ListInParallel. Returns kInvalidArgument if a flag's value cannot be used. Other
/// errors are those of ListThroughCache and ListInParallel.
Result<Listing> ListByFlags(const Client& client, const ObjectName& prefix, const ParallelListOptions& options = {});

/// The prices that --class_a_price_per_1000 and --class_b_price_per_1000 set. Returns kInvalidArgument if one is out of
/// its range.
Result<OperationPrices> OperationPricesFromFlags();

/// Completes the file that --trace_file names. Call it when all calls have ended. If a program does not call it, the
/// file lacks only its closing bracket. Without --trace_file it does nothing. Returns kLocalIo if the timeline could
/// not be written.
Result<void> CloseTraceFile();

}  // namespace gcsflux
