#include <gflags/gflags.h>

#include <atomic>

#include "cli/arguments/duration.h"
#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/status_line.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/download.h"

DECLARE_bool(dry_run);
DECLARE_bool(json);
DEFINE_string(older_than, "1h",
              "Keep objects that are younger than this (30s, 10m, 1h, 2d), because another process may be using them.");

namespace gcsflux::cli {
namespace {

// A bucket, or the prefix of a training run.
Result<ObjectName> ParsePlace(const std::string& uri) {
  auto place = ParseUri(uri);
  if (!place || place->name.empty() || place->name.ends_with('/')) return place;
  return Error{ErrorCode::kInvalidArgument,
               "'" + uri + "' names an object; give a bucket, or the prefix of a training run with its '/'"};
}

constexpr Change kCleaning{"clean", "cleaned"};

std::string Deleted() { return FLAGS_dry_run ? ": would delete " : ": deleted "; }

// What interrupted saves and removals of a training run left, and nothing else.
Result<void> CleanRun(const Client& client, const std::string& uri, std::chrono::seconds older_than) {
  const auto run = CheckpointSteps::Open(client, uri, {}, StopOnSignal());
  if (!run) return run.error();
  const auto collected = run->CollectGarbage(older_than, FLAGS_dry_run);
  if (!collected) return collected.error();
  if (FLAGS_json) {
    JsonObject line = JsonOf(kCleaning, uri);
    line.Add("deleted", collected->files).Add("deleted_bytes", collected->bytes);
    return PrintLine(line.Add("kept", collected->young + collected->foreign).text()), Result<void>();
  }
  SayDone(run->uri() + Deleted() + std::to_string(collected->files) + " files of interrupted saves and removals, " +
          BytesText(static_cast<double>(collected->bytes)) + "; kept " + std::to_string(collected->young) +
          " younger than " + FLAGS_older_than + ", and " + std::to_string(collected->foreign) + " objects of others");
  return {};
}

Result<void> CleanBucket(const Client& client, const std::string& bucket, std::chrono::seconds older_than) {
  const std::string doing = Printable("cleaning " + ToUri({bucket}));
  std::atomic<std::uint64_t> deleted = 0;
  StatusLine status(
      [&](double seconds, std::size_t columns) { return ProgressLine(doing, deleted, seconds, columns); });
  const auto cleaned = CleanComposites(client, bucket,
                                       {.older_than = older_than,
                                        .is_dry_run = FLAGS_dry_run,
                                        .on_progress = [&](const Progress&) { ++deleted; },
                                        .stop = StopOnSignal()});
  status.End();
  if (!cleaned) return cleaned.error();
  if (FLAGS_json) {
    JsonObject line = JsonOf(kCleaning, ToUri({bucket}));
    line.Add("deleted", cleaned->deleted).Add("deleted_bytes", cleaned->deleted_bytes).Add("kept", cleaned->kept);
    if (!cleaned->may_not_list_uploads) line.Add("uploads_aborted", cleaned->uploads_aborted);
    return PrintLine(line.text()), Result<void>();
  }
  const std::string uploads =
      cleaned->may_not_list_uploads
          ? "unfinished uploads were not examined (the permission storage.multipartUploads.list is missing)"
          : (FLAGS_dry_run ? "would abort " : "aborted ") + std::to_string(cleaned->uploads_aborted) + " of " +
                std::to_string(cleaned->uploads_found) + " unfinished uploads";
  SayDone(ToUri({bucket}) + Deleted() + std::to_string(cleaned->deleted) + " of " + std::to_string(cleaned->found) +
          " temporary objects, " + BytesText(static_cast<double>(cleaned->deleted_bytes)) + "; kept " +
          std::to_string(cleaned->kept) + " younger than " + FLAGS_older_than + "; " + uploads);
  return {};
}

Result<void> Clean(const Client& client, const std::vector<std::string>& uris) {
  const auto older_than = DurationOfFlag("older_than", FLAGS_older_than);
  if (!older_than) return older_than.error();
  const auto places = ParseAll(uris, ParsePlace);
  if (!places) return places.error();
  for (const ObjectName& place : *places) {
    auto cleaned = place.name.empty() ? CleanBucket(client, place.bucket, *older_than)
                                      : CleanRun(client, ToUri(place), *older_than);
    if (!cleaned) return cleaned;
  }
  return {};
}

constexpr CommandFlag kCleanFlags[] = {{"older_than"}, {"dry_run", "n"}, {"json"}};

}  // namespace

constinit const Command kClean = {
    .name = "clean",
    .arguments = "gs://BUCKET|gs://BUCKET/RUN/...",
    .summary = "Remove temporary objects and uploads that ended processes left.",
    .details =
        "Removes composed objects under dataflux-composed-objects/, also those of Google's connector for PyTorch,\n"
        "and objects and unfinished uploads under gcsflux-uploads/, if they are older than --older_than.\n"
        "With the prefix of a training run and its '/': removes files of interrupted saves and removals that no\n"
        "manifest names. Objects whose names gcsflux has not made are kept. A file's age is the time between it and\n"
        "the run's newest object.\n",
    .flags = kCleanFlags,
    .run = Clean,
    .is_resumable = true,
};

}  // namespace gcsflux::cli
