#include "cli/copy/copy_flags.h"

#include <gflags/gflags.h>

#include "cli/terminal/interruption.h"
#include "gcsflux/flags.h"

DEFINE_bool(no_clobber, false,
            "cp, sync: do not overwrite what exists. If the destination of one file or object exists, cp "
            "fails; cp of several, and sync, skip it.");
DEFINE_string(content_type, "application/octet-stream",
              "cp, sync: content type of the objects that are written. If it is not given, a copy keeps its source's.");
DEFINE_string(compare, "checksum",
              "cp --recursive, sync: when a file or object is skipped. checksum: size and CRC32C are the same "
              "(local files are read to compute it). mtime: the size is the same, and the destination is not "
              "older than the source. Set it to mtime if reading the files takes long.");
DEFINE_bool(dry_run, false, "cp, sync, checkpoint prune: print what would be done, and do nothing.");

namespace gcsflux::cli {

Result<CopyRun> CopyRunFromFlags() {
  auto writing = UploadOptionsFromFlags();
  if (!writing) return writing.error();
  auto reading = ObjectReaderOptionsFromFlags();
  if (!reading) return reading.error();
  const auto download = DownloaderOptionsFromFlags();
  if (!download) return download.error();
  if (FLAGS_compare != "checksum" && FLAGS_compare != "mtime") {
    return Error{ErrorCode::kInvalidArgument, "flag --compare must be checksum or mtime"};
  }
  writing->mode = FLAGS_no_clobber ? WriteMode::kCreate : WriteMode::kOverwrite;
  writing->attributes.content_type = FLAGS_content_type;
  CopyRun run;
  run.max_concurrency = download->max_concurrency;
  run.route.writing = *std::move(writing);
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
