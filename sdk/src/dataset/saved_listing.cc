#include <array>
#include <utility>

#include "base/object_name.h"
#include "client/client_core.h"
#include "dataset/listing_format.h"
#include "dataset/stored_listing.h"
#include "gcsflux/download.h"
#include "gcsflux/listing.h"

namespace gcsflux {
namespace {

using internal::StoredListing;
using internal::WithinMemory;

// About 180,000,000 names. It is held in memory as a whole.
constexpr std::uint64_t kMostStoredBytes = std::uint64_t{8} << 30;

template <class T>
Result<T> At(const ObjectName& object, Result<T> result) {
  if (result) return result;
  Error error = result.error();
  error.message = ToUri(object) + ": " + error.message;
  return error;
}

// A listing from the future never becomes older, so one from far ahead counts as stale too. Clocks differ a little.
Result<void> CheckAge(const ObjectName& source, const Listing& listing, std::chrono::system_clock::time_point now,
                      const ListingCacheOptions& options) {
  const auto since_epoch = [](std::chrono::system_clock::time_point time) {
    return std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());  // Differences do not overflow.
  };
  const auto age = std::chrono::floor<std::chrono::seconds>(since_epoch(now) - since_epoch(listing.time));
  if (!options.max_age || std::chrono::abs(age) <= *options.max_age) return {};
  const std::string is = age < std::chrono::seconds(0)
                             ? std::to_string(-age.count()) + " s ahead of this machine's clock"
                             : std::to_string(age.count()) + " s old";
  return Error{ErrorCode::kStale, ToUri(source) + ": the listing of " + ToUri(listing.prefix) + " is " + is +
                                      ", and at most " + std::to_string(options.max_age->count()) +
                                      " s are allowed; save a new one"};
}

Result<StoredListing> Read(const Client& client, const ObjectName& source, const ListingCacheOptions& options) {
  const auto stored = client.GetObject(source, {.call = options.call, .stop = options.stop});
  if (!stored) return stored.error();
  if (stored->size > kMostStoredBytes) {
    return Error{ErrorCode::kCorrupted, ToUri(source) + ": it has " + std::to_string(stored->size) +
                                            " bytes, and a saved listing has at most " +
                                            std::to_string(kMostStoredBytes)};
  }
  const std::array objects = {*stored};
  const auto batch = Downloader(client, {.call = options.call}).Download(DownloadSources(objects), options.stop);
  if (!batch) return batch.error();
  const std::span<const std::byte> bytes = (*batch)[0].bytes;
  StoredListing found{.generation = stored->generation,
                      .is_listing = internal::IsSavedListing(bytes),
                      .listing = At(source, internal::DecodeListing(bytes))};
  if (!found.listing) return found;
  if (auto checked = CheckAge(source, *found.listing, CoreOf(client).timing().SystemNow(), options); !checked)
    found.listing = checked.error();
  return found;
}

}  // namespace

Result<ObjectMetadata> SaveListing(const Client& client, const ObjectName& destination, const Listing& listing,
                                   const UploadOptions& options) {
  const auto bytes = WithinMemory(destination, [&] { return At(destination, internal::EncodeListing(listing)); });
  if (!bytes) return bytes.error();
  return UploadObject(client, destination, AsBytes(*bytes), options);
}

Result<StoredListing> internal::ReadStoredListing(const Client& client, const ObjectName& source,
                                                  const ListingCacheOptions& options) {
  return WithinMemory(source, [&] { return Read(client, source, options); });
}

Result<Listing> LoadListing(const Client& client, const ObjectName& source, const ListingCacheOptions& options) {
  auto stored = internal::ReadStoredListing(client, source, options);
  if (!stored) return stored.error();
  return std::move(stored->listing);
}

}  // namespace gcsflux
