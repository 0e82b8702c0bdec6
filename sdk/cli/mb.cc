#include <gflags/gflags.h>

#include "cli/arguments/names.h"
#include "cli/commands.h"

DEFINE_string(location, "", "Location of the bucket, such as US or EUROPE-WEST4. If empty, Cloud Storage's default.");

namespace gcsflux::cli {
namespace {

Result<void> MakeBuckets(const Client& client, const std::vector<std::string>& uris) {
  for (const std::string& uri : uris) {
    const auto bucket = ParseBucket(uri);
    if (!bucket) return bucket.error();
    if (auto made = client.InsertBucket(bucket->bucket, {.location = FLAGS_location}); !made) return made.error();
  }
  return {};
}

constexpr CommandFlag kMbFlags[] = {{"location", "l"}, {"project", "p", "The bucket's project."}};

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
