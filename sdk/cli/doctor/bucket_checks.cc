#include "cli/doctor/bucket_checks.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::cli {
namespace {

// https://cloud.google.com/storage/docs/access-control/iam-roles
struct Task {
  std::string_view name;
  std::string_view role;  ///< The smallest predefined one.
  std::vector<std::string> permissions;
};

std::vector<Task> Tasks() {
  return {{"read a data set", "roles/storage.objectViewer", {"storage.objects.get", "storage.objects.list"}},
          {"save checkpoints",
           "roles/storage.objectUser",
           {"storage.objects.create", "storage.objects.delete", "storage.objects.get", "storage.objects.list"}},
          {"upload large files in parts",
           "roles/storage.objectUser",
           {"storage.multipartUploads.create", "storage.multipartUploads.abort", "storage.multipartUploads.listParts"}},
          {"remove what ended processes left (clean)",
           "roles/storage.objectUser",
           {"storage.objects.list", "storage.objects.delete", "storage.multipartUploads.list",
            "storage.multipartUploads.abort"}},
          {"show the bucket's settings", "roles/storage.bucketViewer", {"storage.buckets.get"}}};
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

std::string Days(std::chrono::seconds period) {
  constexpr std::int64_t kDay = 86'400;
  return period.count() < kDay ? std::to_string(period.count()) + " s"
                               : std::to_string(period.count() / kDay) + " days";
}

std::string UpdateCommand(const BucketMetadata& bucket, const std::string& flag) {
  return "gcloud storage buckets update gs://" + bucket.name + " " + flag;
}

void CheckLocation(const BucketMetadata& bucket, DoctorReport& report) {
  const std::array<std::string_view, 3> multi_regions = {"US", "EU", "ASIA"};
  if (std::ranges::find(multi_regions, bucket.location) == multi_regions.end()) {
    return report.Ok("location",
                     bucket.location + "; machines in this region read fastest, and without a transfer fee");
  }
  report.Warn("location", bucket.location + " is a multi-region: the bytes may be far from the machines",
              "for training, make a bucket in the region of the machines: gcsflux mb -l REGION gs://NAME");
}

void CheckStorageClass(const BucketMetadata& bucket, DoctorReport& report) {
  if (bucket.storage_class == "STANDARD" || bucket.storage_class.empty()) {
    return report.Ok("storage class", "STANDARD");
  }
  report.Warn("storage class",
              bucket.storage_class + ": each read costs a retrieval fee, and an early deletion its storage",
              UpdateCommand(bucket, "--default-storage-class=STANDARD") + " (for objects written from then on)");
}

void CheckSoftDelete(const BucketMetadata& bucket, DoctorReport& report) {
  if (bucket.soft_delete_retention.count() == 0) return report.Ok("soft delete", "no");
  report.Warn("soft delete",
              "deleted and replaced objects are paid for " + Days(bucket.soft_delete_retention) +
                  " more: every checkpoint that is removed, and what this check writes",
              UpdateCommand(bucket, "--clear-soft-delete") + ", if nothing need be restored");
}

void CheckVersioning(const BucketMetadata& bucket, DoctorReport& report) {
  if (!bucket.has_versioning) return report.Ok("versioning", "no");
  report.Warn("versioning", "deleted and replaced objects stay, and are paid for, until a rule deletes them",
              UpdateCommand(bucket, "--no-versioning") + ", or a lifecycle rule with daysSinceNoncurrentTime");
}

void CheckRetention(const BucketMetadata& bucket, DoctorReport& report) {
  const bool has_hold = bucket.default_event_based_hold;
  if (bucket.retention_period.count() == 0 && !has_hold) return report.Ok("retention", "no");
  report.Warn(
      "retention",
      has_hold ? "new objects are held: they cannot be deleted until the hold is released"
               : "objects cannot be deleted or replaced for " + Days(bucket.retention_period),
      "large files go up over one connection, old checkpoints stay, and doctor writes nothing here; use another "
      "bucket for checkpoints");
}

void CheckRest(const BucketMetadata& bucket, DoctorReport& report) {
  report.Ok("folders", bucket.has_hierarchical_namespace ? "hierarchical namespace: real folders" : "flat namespace");
  if (bucket.has_requester_pay) {
    report.Warn("requester pays", "yes: requests must name a project that pays",
                "a program sets CallOptions::user_project; the command cannot");
  }
}

}  // namespace

Result<void> CheckSettings(const Client& client, const ObjectName& place, DoctorReport& report) {
  const auto bucket = client.GetBucket(place.bucket);
  if (!bucket && bucket.error().code == ErrorCode::kPermissionDenied) {
    report.Skip("settings", "the caller may not read them (storage.buckets.get)");
    return {};
  }
  if (!bucket) return bucket.error();
  CheckLocation(*bucket, report);
  CheckStorageClass(*bucket, report);
  CheckSoftDelete(*bucket, report);
  CheckVersioning(*bucket, report);
  CheckRetention(*bucket, report);
  CheckRest(*bucket, report);
  return {};
}

void CheckPermissions(const Client& client, const ObjectName& place, DoctorReport& report) {
  std::vector<std::string> asked;
  for (const Task& task : Tasks()) asked.insert(asked.end(), task.permissions.begin(), task.permissions.end());
  std::ranges::sort(asked);
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  const auto granted = client.TestBucketPermissions(place.bucket, asked);
  if (!granted) return report.Fail("permissions", granted.error().message, "check the credential: --credentials");
  for (const Task& task : Tasks()) {
    std::vector<std::string> missing;
    for (const std::string& permission : task.permissions) {
      if (std::ranges::find(*granted, permission) == granted->end()) missing.push_back(permission);
    }
    const std::string may(task.name);
    if (missing.empty()) {
      report.Ok("permissions", "may " + may);
    } else {
      report.Warn("permissions", "may not " + may + ": " + Joined(missing) + " is missing",
                  "grant " + std::string(task.role) + " on the bucket, if this account needs it");
    }
  }
}

}  // namespace gcsflux::cli
