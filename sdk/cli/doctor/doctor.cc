#include <gflags/gflags.h>

#include "cli/commands.h"
#include "cli/doctor/bucket_checks.h"
#include "cli/doctor/object_checks.h"
#include "cli/terminal/interruption.h"

DEFINE_bool(read_only, false, "Write nothing: only permissions and settings are checked.");

namespace gcsflux::cli {
namespace {

// Objects could not be deleted there.
bool KeepsObjects(const Client& client, const std::string& bucket) {
  const auto found = client.GetBucket(bucket);
  return found && (found->retention_period.count() > 0 || found->default_event_based_hold);
}

Result<void> Diagnose(const Client& client, const std::vector<std::string>& arguments) {
  const auto place = ParseUri(arguments.front());
  if (!place) return place.error();
  DoctorReport report;
  if (auto checked = CheckSettings(client, *place, report); !checked) return checked;
  CheckPermissions(client, *place, report);
  if (FLAGS_read_only) {
    report.Skip("objects", "nothing was written (--read_only)");
  } else if (KeepsObjects(client, place->bucket)) {
    report.Skip("objects", "nothing was written, because the bucket would keep it");
  } else {
    CheckObjects(client, *place, StopOnSignal(), report);
  }
  return report.Finish();
}

constexpr CommandFlag kDoctorFlags[] = {{"read_only"}, {"json"}};

}  // namespace

constinit const Command kDoctor = {
    .name = "doctor",
    .arguments = "gs://BUCKET[/PREFIX]",
    .summary = "Check whether a bucket is fit for training, and say what to change.",
    .details =
        "Checks settings, permissions by task, the clock, writes, reads and their checksums, compose, move, latency,\n"
        "and whether requests are refused as too many. Writes about 10 MiB below the prefix under a name of its own,\n"
        "in some 120 requests, and deletes all of it. docs/real_cloud_storage.md explains the findings.\n",
    .flags = kDoctorFlags,
    .max_arguments = 1,
    .run = Diagnose,
};

}  // namespace gcsflux::cli
