#include <algorithm>
#include <atomic>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/composite_name.h"
#include "base/process/no_time_limit.h"
#include "base/tell_progress.h"
#include "client/client_core.h"
#include "gcsflux/download.h"
#include "gcsflux/listing.h"
#include "transfer/threads/run_on_threads.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux {
namespace {

constexpr int kDeletesAtOnce = 16;

// Other programs may keep objects under the prefix of composites. Under the prefix of uploads there are only temporary
// objects.
bool IsTemporary(const ObjectMetadata& object) {
  return object.component_count > 0 || object.name.starts_with(internal::kUploadPrefix);
}

// Which objects and uploads are old enough. One whose time the service leaves out counts as new.
class AgeLimit {
 public:
  AgeLimit(std::chrono::system_clock::time_point now, std::chrono::seconds older_than)
      : made_before_(now - internal::InNanoseconds(older_than)), takes_all_(older_than <= std::chrono::seconds(0)) {}
  [[nodiscard]] bool IsOld(std::chrono::system_clock::time_point made) const {
    return made == std::chrono::system_clock::time_point() ? takes_all_ : made < made_before_;
  }

 private:
  std::chrono::system_clock::time_point made_before_;
  bool takes_all_;
};

// Removes young objects from a listing, and counts them.
std::vector<ObjectMetadata> SelectLeftovers(std::vector<ObjectMetadata> listed, const AgeLimit& limit,
                                            CleanReport& report) {
  std::vector<ObjectMetadata> leftovers;
  for (ObjectMetadata& object : listed) {
    if (!IsTemporary(object)) continue;
    ++report.found;
    if (limit.IsOld(object.time_created)) {
      leftovers.push_back(std::move(object));
    } else {
      ++report.kept;
    }
  }
  return leftovers;
}

// Everything under the prefixes of temporary objects.
Result<std::vector<ObjectMetadata>> ListTemporary(const Client& client, const std::string& bucket,
                                                  const CleanOptions& options) {
  std::vector<ObjectMetadata> found;
  for (const std::string_view prefix : {internal::kCompositePrefix, internal::kUploadPrefix}) {
    auto listing = ListPrefix(
        client, {bucket, std::string(prefix)},
        {.fields = "name,generation,size,timeCreated,componentCount", .call = options.call, .stop = options.stop});
    if (!listing) return listing.error();
    found.insert(found.end(), std::make_move_iterator(listing->objects.begin()),
                 std::make_move_iterator(listing->objects.end()));
  }
  return found;
}

Result<void> AbortUploads(const Client& client, const std::string& bucket, const CleanOptions& options,
                          const AgeLimit& limit, CleanReport& report) {
  const OngoingUploadOptions of_call{.call = options.call, .stop = options.stop};
  const auto uploads = ListMultipartUploads(client, {bucket, std::string(internal::kUploadPrefix)}, of_call);
  report.may_not_list_uploads = !uploads && uploads.error().code == ErrorCode::kPermissionDenied;
  if (report.may_not_list_uploads) return {};
  if (!uploads) return uploads.error();
  report.uploads_found = uploads->size();
  for (const OngoingUpload& upload : *uploads) {
    if (!limit.IsOld(upload.initiated)) continue;
    if (!options.is_dry_run) {
      if (auto aborted = AbortMultipartUpload(client, upload, of_call); !aborted) return aborted;
    }
    ++report.uploads_aborted;
  }
  return {};
}

}  // namespace

Result<CleanReport> CleanComposites(const Client& client, const std::string& bucket, const CleanOptions& options) {
  const AgeLimit limit(CoreOf(client).timing().SystemNow(), options.older_than);
  auto listed = ListTemporary(client, bucket, options);
  if (!listed) return listed.error();
  CleanReport report;
  const auto leftovers = SelectLeftovers(*std::move(listed), limit, report);
  std::uint64_t all_bytes = 0;
  for (const ObjectMetadata& object : leftovers) all_bytes += object.size;
  std::atomic<std::uint64_t> deleted_bytes = 0;
  const auto remove = [&](std::size_t index, const std::stop_token& stop) -> Result<void> {
    const ObjectMetadata& object = leftovers[index];
    auto removed = options.is_dry_run
                       ? Result<void>()
                       : client.DeleteObject({bucket, object.name},
                                             {.generation = object.generation, .call = options.call, .stop = stop});
    // Its maker may have deleted it meanwhile.
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
    const std::uint64_t gone = deleted_bytes += object.size;
    return internal::TellProgress(options.on_progress, {gone, all_bytes});
  };
  if (auto removed = internal::RunOnThreads(client, leftovers.size(), kDeletesAtOnce, remove, options.stop); !removed)
    return removed.error();
  report.deleted = leftovers.size();
  report.deleted_bytes = deleted_bytes;
  if (auto aborted = AbortUploads(client, bucket, options, limit, report); !aborted) return aborted.error();
  return report;
}

}  // namespace gcsflux
