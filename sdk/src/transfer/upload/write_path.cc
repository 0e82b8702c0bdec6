#include "transfer/upload/write_path.h"

#include <algorithm>
#include <vector>

namespace gcsflux::internal {
namespace {

PathChoice OneStream(std::string reason) { return {WriteMethod::kOneStream, std::move(reason)}; }

// The permissions without which a part, a compose or a deletion fails; empty where all are there.
Result<std::string> MissingPermissions(const Client& client, const std::string& bucket, const UploadOptions& options) {
  const std::vector<std::string> needed = {"storage.objects.create", "storage.objects.delete", "storage.objects.get",
                                           "storage.multipartUploads.create"};
  const auto granted = client.TestBucketPermissions(bucket, needed, {.call = options.call, .stop = options.stop});
  if (!granted) return granted.error();
  std::string missing;
  for (const std::string& permission : needed) {
    if (std::ranges::find(*granted, permission) != granted->end()) continue;
    missing += (missing.empty() ? "" : ", ") + permission;
  }
  return missing;
}

}  // namespace

PathChoice ChoosePath(const Client& client, const std::string& bucket, const ParallelWriterOptions& options) {
  if (options.path == WritePath::kOneStream) return OneStream("one stream was asked for");
  if (options.is_private_name) return {WriteMethod::kParts, "no other writer uses the name"};
  if (options.path == WritePath::kParallel) return {WriteMethod::kPartsAndCompose, "parts were asked for"};
  const auto missing = MissingPermissions(client, bucket, options.upload);
  if (!missing) return OneStream("permissions cannot be asked for: " + missing.error().message);
  if (!missing->empty()) return OneStream("the caller lacks " + *missing);
  const auto settings = client.GetBucket(
      bucket,
      {.fields = "retentionPolicy,defaultEventBasedHold", .call = options.upload.call, .stop = options.upload.stop});
  if (!settings) return {WriteMethod::kPartsAndCompose, "more than one part; the bucket's settings cannot be read"};
  if (settings->retention_period.count() > 0)
    return OneStream("the bucket's retention policy would keep the temporary object");
  if (settings->default_event_based_hold)
    return OneStream("the bucket's default event-based hold would keep the temporary object");
  return {WriteMethod::kPartsAndCompose, "more than one part"};
}

}  // namespace gcsflux::internal
