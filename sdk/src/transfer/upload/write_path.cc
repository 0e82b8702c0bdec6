#include "transfer/upload/write_path.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <vector>

#include "loop/doorbell.h"

namespace gcsflux::internal {
namespace {

PathChoice OneStream(std::string reason) { return {WriteMethod::kOneStream, std::move(reason)}; }

// The missing permissions without which a part, a compose or a deletion fails. Empty if there are none.
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

struct Answers {
  Result<std::string> missing = std::string();
  Result<BucketMetadata> settings = BucketMetadata();
};

Answers Ask(const Client& client, const std::string& bucket, const UploadOptions& options, JobQueue& jobs,
            const std::function<void()>& meanwhile) {
  Answers answers;
  std::mutex mutex;
  Doorbell answered;
  int pending = 3;  // Guarded by mutex.
  const auto ask = [&](const std::function<void()>& question) {
    jobs.Post([&, question] {
      question();
      const std::scoped_lock lock(mutex);
      --pending;
      answered.Ring();
    });
  };
  ask([&] { answers.missing = MissingPermissions(client, bucket, options); });
  ask([&] {
    answers.settings = client.GetBucket(
        bucket, {.fields = "retentionPolicy,defaultEventBasedHold", .call = options.call, .stop = options.stop});
  });
  ask(meanwhile);
  std::unique_lock lock(mutex);
  answered.Wait(lock, [&] { return pending == 0; });
  return answers;
}

}  // namespace

PathChoice ChoosePath(const Client& client, const std::string& bucket, const ParallelWriterOptions& options,
                      JobQueue& jobs, const std::function<void()>& meanwhile) {
  if (options.path == WritePath::kOneStream) return OneStream("one stream was asked for");
  if (options.is_private_name) return {WriteMethod::kParts, "no other writer uses the name"};
  if (options.path == WritePath::kParallel) return {WriteMethod::kPartsAndCompose, "parts were asked for"};
  const auto [missing, settings] = Ask(client, bucket, options.upload, jobs, meanwhile);
  if (!missing) return OneStream("permissions cannot be asked for: " + missing.error().message);
  if (!missing->empty()) return OneStream("the caller lacks " + *missing);
  if (!settings) return {WriteMethod::kPartsAndCompose, "more than one part; the bucket's settings cannot be read"};
  if (settings->retention_period.count() > 0)
    return OneStream("the bucket's retention policy would keep the temporary object");
  if (settings->default_event_based_hold)
    return OneStream("the bucket's default event-based hold would keep the temporary object");
  return {WriteMethod::kPartsAndCompose, "more than one part"};
}

}  // namespace gcsflux::internal
