#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "base/for_ever.h"
#include "client/client_core.h"
#include "client/tell_progress.h"
#include "gcsflux/composed_download.h"
#include "gcsflux/listing.h"
#include "transfer/composition/composite_name.h"
#include "transfer/worker_pool.h"

namespace gcsflux {
namespace {

constexpr std::size_t kDeletesAtOnce = 16;

bool IsComposite(const ObjectMetadata& object) { return object.component_count > 0; }

// What is left of a listing once the young are taken out of it; they are counted.
std::vector<ObjectMetadata> SelectLeftovers(std::vector<ObjectMetadata> listed,
                                            std::chrono::system_clock::time_point made_before, CleanReport& report) {
  std::vector<ObjectMetadata> leftovers;
  for (ObjectMetadata& object : listed) {
    if (!IsComposite(object)) continue;
    ++report.found;
    if (object.time_created < made_before) {
      leftovers.push_back(std::move(object));
    } else {
      ++report.kept;
    }
  }
  return leftovers;
}

}  // namespace

Result<CleanReport> CleanComposites(const Client& client, const std::string& bucket, const CleanOptions& options) {
  const auto now = client.core().timing().SystemNow();
  auto listing = ListPrefix(
      client, {bucket, std::string(internal::kCompositePrefix)},
      {.fields = "name,generation,size,timeCreated,componentCount", .call = options.call, .stop = options.stop});
  if (!listing) return listing.error();
  CleanReport report;
  const auto leftovers =
      SelectLeftovers(std::move(listing->objects), now - internal::InNanoseconds(options.older_than), report);
  std::uint64_t all_bytes = 0;
  for (const ObjectMetadata& object : leftovers) all_bytes += object.size;
  std::atomic<std::uint64_t> deleted_bytes = 0;
  const auto remove = [&](std::size_t index, const std::stop_token& stop) -> Result<void> {
    const ObjectMetadata& object = leftovers[index];
    const auto removed = client.DeleteObject({bucket, object.name},
                                             {.generation = object.generation, .call = options.call, .stop = stop});
    // Whoever made it may have deleted it meanwhile.
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
    const std::uint64_t gone = deleted_bytes += object.size;
    return internal::TellProgress(options.on_progress, {gone, all_bytes});
  };
  internal::WorkerPool pool(std::min(kDeletesAtOnce, leftovers.size()), &client.core().observer());
  if (auto removed = pool.Run(leftovers.size(), remove, options.stop); !removed) return removed.error();
  report.deleted = leftovers.size();
  report.deleted_bytes = deleted_bytes;
  return report;
}

}  // namespace gcsflux
