#include "cli/copy/copy_run.h"

#include <gflags/gflags.h>

#include "cli/arguments/metadata.h"
#include "cli/terminal/interruption.h"
#include "gcsflux/flags.h"

DECLARE_bool(dry_run);
DEFINE_bool(no_clobber, false, "Do not overwrite: what exists at the destination is skipped.");
DEFINE_string(content_type, "",
              "Content type of what is written. If empty: by the extension; a copy keeps its source's.");
DEFINE_string(cache_control, "", "Cache-Control of what is written, such as no-store or max-age=60.");
DEFINE_string(
    compare, "checksum",
    "What is the same, and skipped. checksum: size and CRC32C (local files are read). mtime: the size, and the "
    "destination is not older; set it if reading takes long.");

namespace gcsflux::cli {

Result<CopyRun> CopyRunFromFlags() {
  auto writing = UploadOptionsFromFlags();
  if (!writing) return writing.error();
  auto reading = ObjectReaderOptionsFromFlags();
  if (!reading) return reading.error();
  const auto concurrency = ConcurrencyFromFlags();
  if (!concurrency) return concurrency.error();
  auto filter = Filter::FromFlags();
  if (!filter) return filter.error();
  auto metadata = MetadataFromFlag();
  if (!metadata) return metadata.error();
  if (FLAGS_compare != "checksum" && FLAGS_compare != "mtime") {
    return Error{ErrorCode::kInvalidArgument, "flag --compare must be checksum or mtime"};
  }
  writing->mode = FLAGS_no_clobber ? WriteMode::kCreate : WriteMode::kOverwrite;
  CopyRun run;
  run.concurrency = *concurrency;
  run.route.writing = *std::move(writing);
  if (!FLAGS_content_type.empty()) run.route.content_type = FLAGS_content_type;
  if (!FLAGS_cache_control.empty()) run.route.cache_control = FLAGS_cache_control;
  if (!metadata->empty()) {
    run.route.metadata.emplace();
    for (auto& [key, value] : *metadata) run.route.metadata->emplace(key, std::move(value).value_or(""));
  }
  run.filter = *std::move(filter);
  run.stream_reading = *std::move(reading);
  run.plan.skips_present = FLAGS_no_clobber;
  run.plan.compare = FLAGS_compare == "mtime" ? Compare::kModified : Compare::kChecksum;
  run.is_dry = FLAGS_dry_run;
  run.stop = StopOnSignal();
  return run;
}

bool IsRefusedAsPresent(const Error& error) {
  const bool is_there = error.code == ErrorCode::kAlreadyExists || error.code == ErrorCode::kPreconditionFailed;
  return is_there && error.outcome == WriteOutcome::kNotStored;
}

TransferMonitor::Summary SummaryOf(const CopyRun& run) {
  return run.is_dry ? TransferMonitor::Summary::kOfDryRun : TransferMonitor::Summary::kAlways;
}

}  // namespace gcsflux::cli
