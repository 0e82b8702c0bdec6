#include "checkpoints/folder_shards.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "checkpoints/step_names.h"
#include "formats/distributed/distributed_metadata.h"
#include "gcsflux/listing.h"

namespace gcsflux::internal {
namespace {

void Add(FolderShards& shards, std::string place) {
  const std::string_view name = std::string_view(place).substr(place.rfind('/') + 1);
  if (name.ends_with(".safetensors")) {
    shards.safetensors.push_back(std::move(place));
  } else if (name == kDistributedMetadata) {
    shards.distributed = std::move(place);
  } else if (name == "__0.metadata") {
    shards.of_rank_0 = std::move(place);
  }
}

Result<FolderShards> ShardsInBucket(const Client& client, const std::string& uri, const CallOptions& call,
                                    const std::stop_token& stop) {
  const auto prefix = ParseUri(uri);
  if (!prefix) return prefix.error();
  const auto listing = ListPrefix(client, *prefix, {.delimiter = "/", .call = call, .stop = stop});
  if (!listing) return listing.error();
  FolderShards shards;
  for (const ObjectMetadata& object : listing->objects) Add(shards, ToUri({prefix->bucket, object.name}));
  return shards;
}

Result<FolderShards> ShardsInDirectory(const std::string& path) {
  std::error_code error;
  FolderShards shards;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    Add(shards, entry->path());
  }
  if (error) return Error{ErrorCode::kLocalIo, "cannot list '" + path + "': " + error.message()};
  std::sort(shards.safetensors.begin(), shards.safetensors.end());
  return shards;
}

}  // namespace

Result<FolderShards> ShardsInFolder(const Client& client, const std::string& uri, const CallOptions& call,
                                    const std::stop_token& stop) {
  return IsObjectUri(uri) ? ShardsInBucket(client, uri, call, stop) : ShardsInDirectory(uri);
}

}  // namespace gcsflux::internal
