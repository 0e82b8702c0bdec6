#include "transfer/upload/write_path.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "base/option_range.h"
#include "base/process/mutex.h"
#include "client/client_core.h"
#include "loop/loop_condition.h"
#include "loop/request_slots.h"
#include "transfer/upload/part_bytes.h"

namespace gcsflux::internal {
namespace {

Error Refused(const char* why) { return {ErrorCode::kInvalidArgument, why}; }

PathChoice OneStream(std::string reason) { return {WritePath::kOneStream, std::move(reason)}; }

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
  Mutex mutex;
  LoopCondition answered;
  int pending = meanwhile ? 3 : 2;  // Guarded by mutex.
  const auto ask = [&](const std::function<void()>& question) {
    jobs.Post([&, question] {
      question();
      const MutexLock lock(mutex);
      --pending;
      answered.NotifyAll();
    });
  };
  ask([&] { answers.missing = MissingPermissions(client, bucket, options); });
  ask([&] {
    answers.settings = client.GetBucket(
        bucket, {.fields = "retentionPolicy,defaultEventBasedHold", .call = options.call, .stop = options.stop});
  });
  if (meanwhile) ask(meanwhile);
  MutexLock lock(mutex);
  answered.Wait(lock, [&] { return pending == 0; });
  return answers;
}

}  // namespace

Result<void> CheckWriterOptions(const UploadOptions& options) {
  if (auto checked =
          CheckRanges({{"UploadOptions::part_bytes", RangeOf("part_bytes"), options.part_bytes},
                       {"UploadOptions::max_concurrency", RangeOf("upload_max_concurrency"), options.max_concurrency}});
      !checked)
    return checked;
  if (options.part_memory_bytes < options.part_bytes)
    return Refused("UploadOptions::part_memory_bytes must be at least one part");
  const ObjectAttributes& attributes = options.attributes;
  const bool has_conditions =
      options.mode != WriteMode::kOverwrite || attributes.event_based_hold || attributes.temporary_hold;
  if (options.is_private_name && has_conditions)
    return Refused("UploadOptions::is_private_name is for WriteMode::kOverwrite without holds only");
  return {};
}

PathChoice ChoosePath(const Client& client, const std::string& bucket, const UploadOptions& options, JobQueue& jobs,
                      const std::function<void()>& meanwhile) {
  if (options.path == WritePath::kOneStream) return OneStream("one stream was asked for");
  if (options.is_private_name) return {WritePath::kInPlace, "no other writer uses the name"};
  if (options.path == WritePath::kParallel) return {WritePath::kParallel, "parts were asked for"};
  const auto [missing, settings] = Ask(client, bucket, options, jobs, meanwhile);
  if (!missing) return OneStream("permissions cannot be asked for: " + missing.error().message);
  if (!missing->empty()) return OneStream("the caller lacks " + *missing);
  if (!settings) return {WritePath::kParallel, "more than one part; the bucket's settings cannot be read"};
  if (settings->retention_period.count() > 0)
    return OneStream("the bucket's retention policy would keep the temporary object");
  if (settings->default_event_based_hold)
    return OneStream("the bucket's default event-based hold would keep the temporary object");
  return {WritePath::kParallel, "more than one part"};
}

}  // namespace gcsflux::internal

namespace gcsflux {

WritePath ChooseWritePath(const Client& client, const std::string& bucket, const UploadOptions& options) {
  constexpr std::size_t kQuestions = 2;
  internal::RequestSlots slots(CoreOf(client).loops(), kQuestions);
  if (!slots.is_usable()) return WritePath::kOneStream;
  const auto jobs = std::make_shared<internal::JobQueue>(slots);
  const auto choice = internal::ChoosePath(client, bucket, options, *jobs, {});
  jobs->Close();
  return choice.path == WritePath::kOneStream ? WritePath::kOneStream : WritePath::kParallel;
}

}  // namespace gcsflux
