#include <gflags/gflags.h>

#include <optional>

#include "cli/arguments/duration.h"
#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/terminal/output.h"

DEFINE_string(location, "", "Location of the bucket, such as US or EUROPE-WEST4. If empty, Cloud Storage's default.");
DEFINE_string(storage_class, "", "Class of its objects, such as NEARLINE. If empty, Cloud Storage's default.");
DEFINE_string(soft_delete, "",
              "How long deleted objects are kept and paid for: 0s, or 7d to 90d. If empty, Cloud Storage's default.");
DEFINE_bool(hierarchical_namespace, false, "Real folders, which can be renamed at once.");

namespace gcsflux::cli {
namespace {

Result<BucketOptions> BucketOptionsFromFlags() {
  BucketOptions options{.location = FLAGS_location,
                        .storage_class = FLAGS_storage_class,
                        .hierarchical_namespace = FLAGS_hierarchical_namespace};
  if (FLAGS_soft_delete.empty()) return options;
  const auto duration = DurationOfFlag("soft_delete", FLAGS_soft_delete);
  if (!duration) return duration.error();
  options.soft_delete_retention = *duration;
  return options;
}

Result<void> MakeBuckets(const Client& client, const std::vector<std::string>& uris) {
  const auto options = BucketOptionsFromFlags();
  if (!options) return options.error();
  const auto buckets = ParseAll(uris, ParseBucket);
  if (!buckets) return buckets.error();
  for (const ObjectName& bucket : *buckets) {
    if (auto made = client.InsertBucket(bucket.bucket, *options); !made) return made.error();
    PrintChange({"make", "made"}, ToUri(bucket));
  }
  return {};
}

constexpr CommandFlag kMbFlags[] = {{"location", "l"},
                                    {"storage_class", "cs"},
                                    {"soft_delete"},
                                    {"hierarchical_namespace"},
                                    {"project", "p", "The bucket's project."},
                                    {"json"}};

}  // namespace

constinit const Command kMb = {
    .name = "mb",
    .arguments = "gs://BUCKET...",
    .summary = "Make buckets.",
    .details = "A new bucket needs a project: --project or GOOGLE_CLOUD_PROJECT.\n",
    .flags = kMbFlags,
    .run = MakeBuckets,
};

}  // namespace gcsflux::cli
