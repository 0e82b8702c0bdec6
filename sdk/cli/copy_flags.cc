#include "cli/copy_flags.h"

#include <gflags/gflags.h>

#include "cli/interruption.h"
#include "gcsflux/flags.h"

DEFINE_bool(no_clobber, false,
            "cp, sync: leave what is there already. A cp of one file or object fails then, others skip it.");
DEFINE_string(content_type, "application/octet-stream",
              "cp, sync: content type of the objects that are written; a copy has its source's unless this is given.");
DEFINE_string(
    compare, "checksum",
    "cp --recursive, sync: skip what is there with the same size and, for checksum, the same CRC32C (files are "
    "read for it), or, for mtime, no older than the source. Set mtime where reading takes long.");
DEFINE_bool(dry_run, false, "cp, sync, checkpoint prune: print what would be done, and do nothing.");

namespace gcsflux::cli {

Result<CopyRun> CopyRunFromFlags() {
  auto upload = UploadOptionsFromFlags();
  if (!upload) return upload.error();
  auto writing = ParallelWriterOptionsFromFlags();
  if (!writing) return writing.error();
  auto reading = ObjectReaderOptionsFromFlags();
  if (!reading) return reading.error();
  const auto download = DownloaderOptionsFromFlags();
  if (!download) return download.error();
  if (FLAGS_compare != "checksum" && FLAGS_compare != "mtime") {
    return Error{ErrorCode::kInvalidArgument, "flag --compare must be checksum or mtime"};
  }
  upload->mode = FLAGS_no_clobber ? WriteMode::kCreate : WriteMode::kOverwrite;
  upload->attributes.content_type = FLAGS_content_type;
  CopyRun run;
  run.max_concurrency = download->max_concurrency;
  run.route.upload = *std::move(upload);
  run.stream_writing = *std::move(writing);
  run.stream_reading = *std::move(reading);
  run.route.gives_content_type = !gflags::GetCommandLineFlagInfoOrDie("content_type").is_default;
  run.plan.skips_present = FLAGS_no_clobber;
  run.plan.compare = FLAGS_compare == "mtime" ? Compare::kModified : Compare::kChecksum;
  run.is_dry = FLAGS_dry_run;
  run.stop = StopOnSignal();
  return run;
}

TransferMonitor::Summary SummaryOf(const CopyRun& run) {
  return run.is_dry ? TransferMonitor::Summary::kOfDryRun : TransferMonitor::Summary::kAlways;
}

Error NoUriAmong(const std::string& source, const std::string& destination) {
  return Error{ErrorCode::kInvalidArgument, "neither '" + source + "' nor '" + destination + "' is a gs:// URI"};
}

Error NothingThere(const std::string& uri) { return Error{ErrorCode::kEmptyPrefix, "nothing is stored under " + uri}; }

}  // namespace gcsflux::cli
