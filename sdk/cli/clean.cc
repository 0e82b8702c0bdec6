#include "cli/clean.h"

#include <gflags/gflags.h>

#include <atomic>
#include <iostream>

#include "cli/arguments/duration.h"
#include "cli/copy/copy.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/status_line.h"
#include "gcsflux/composed_download.h"

DEFINE_string(older_than, "1h",
              "clean, checkpoint prune: keeps objects that are younger than this, because another process may be "
              "using them. "
              "Lower it if no other program uses the bucket.");

namespace gcsflux::cli {

Result<void> Clean(const Client& client, const std::vector<std::string>& uris) {
  const auto older_than = ParseDuration(FLAGS_older_than);
  if (!older_than) return Error{ErrorCode::kInvalidArgument, "flag --older_than: " + older_than.error().message};
  for (const std::string& uri : uris) {
    if (const auto bucket = ParseBucket(uri); !bucket) return bucket.error();
  }
  for (const std::string& uri : uris) {
    const auto bucket = ParseBucket(uri);
    const std::string doing = Printable("cleaning " + ToUri({bucket->bucket}));
    std::atomic<std::uint64_t> deleted = 0;
    StatusLine status(
        [&](double seconds, std::size_t columns) { return ProgressLine(doing, deleted, seconds, columns); });
    const auto cleaned = CleanComposites(
        client, bucket->bucket,
        {.older_than = *older_than, .on_progress = [&](const Progress&) { ++deleted; }, .stop = StopOnSignal()});
    status.End();
    if (!cleaned) return cleaned.error();
    std::cerr << "gcsflux: gs://" << Printable(bucket->bucket) << ": deleted " << cleaned->deleted << " of "
              << cleaned->found << " temporary objects, " << BytesText(static_cast<double>(cleaned->deleted_bytes))
              << "; kept " << cleaned->kept << " younger than " << FLAGS_older_than << "; ";
    if (cleaned->may_not_list_uploads) {
      std::cerr << "unfinished uploads were not examined (the permission storage.multipartUploads.list is missing)\n";
    } else {
      std::cerr << "aborted " << cleaned->uploads_aborted << " of " << cleaned->uploads_found
                << " unfinished uploads\n";
    }
  }
  return {};
}

}  // namespace gcsflux::cli
