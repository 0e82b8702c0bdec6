#include "transfer/composition/bucket_check.h"

#include <algorithm>
#include <vector>

namespace gcsflux::internal {
namespace {

const std::vector<std::string>& NeededPermissions() {
  static const auto& needed = *new std::vector<std::string>{"storage.objects.create", "storage.objects.delete"};
  return needed;
}

std::string Listed(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::optional<Error> DenialOf(const std::string& bucket, const std::vector<std::string>& granted) {
  std::vector<std::string> missing;
  for (const std::string& permission : NeededPermissions()) {
    if (std::ranges::find(granted, permission) == granted.end()) missing.push_back(permission);
  }
  if (missing.empty()) return std::nullopt;
  return Error{ErrorCode::kPermissionDenied,
               "composed downloads from gs://" + bucket + ": the caller lacks " + Listed(missing) +
                   "; grant it roles/storage.objectUser on the bucket, or turn composition off "
                   "(CompositionMode::kOff, --composition=off)"};
}

// A caller without a credential gets 401 where others get 403.
bool IsRefusal(const Error& error) {
  return error.code == ErrorCode::kPermissionDenied || error.code == ErrorCode::kUnauthenticated;
}

}  // namespace

std::string ObjectionTo(const BucketMetadata& bucket) {
  std::vector<std::string> reasons;
  if (bucket.soft_delete_retention.count() > 0) {
    const auto days = std::chrono::duration_cast<std::chrono::days>(bucket.soft_delete_retention).count();
    reasons.push_back("soft delete keeps deleted composites, and charges for them, for " + std::to_string(days) +
                      " days");
  }
  if (bucket.has_versioning) reasons.emplace_back("object versioning keeps deleted composites, and charges for them");
  if (bucket.retention_period.count() > 0) {
    reasons.push_back("the retention policy does not let composites be deleted for " +
                      std::to_string(bucket.retention_period.count()) + " s");
  }
  if (bucket.default_event_based_hold) {
    reasons.emplace_back("the default event-based hold does not let composites be deleted");
  }
  if (!bucket.storage_class.empty() && bucket.storage_class != "STANDARD") {
    reasons.push_back("composites would be of class " + bucket.storage_class +
                      ", which charges for retrieval and early deletion");
  }
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

Result<BucketCheck> CheckBucket(const Client& client, const std::string& bucket, const CallOptions& call,
                                const std::stop_token& stop) {
  const auto granted = client.TestBucketPermissions(bucket, NeededPermissions(), {.call = call, .stop = stop});
  if (!granted) return granted.error();
  BucketCheck check{.denial = DenialOf(bucket, *granted)};
  if (check.denial) return check;
  const auto settings = client.GetBucket(
      bucket, {.fields = "storageClass,softDeletePolicy,versioning,retentionPolicy,defaultEventBasedHold",
               .call = call,
               .stop = stop});
  if (settings) {
    check.objection = ObjectionTo(*settings);
  } else if (IsRefusal(settings.error())) {
    check.objection =
        "its settings cannot be read, so the cost of composites there is unknown: the caller lacks "
        "storage.buckets.get";
  } else {
    return settings.error();
  }
  return check;
}

}  // namespace gcsflux::internal
