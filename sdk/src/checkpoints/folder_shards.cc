#include "checkpoints/folder_shards.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "checkpoints/step_names.h"
#include "gcsflux/listing.h"

namespace gcsflux::internal {
namespace {

bool IsShard(std::string_view name) { return name.ends_with(".safetensors"); }

Result<std::vector<std::string>> ShardsInBucket(const Client& client, const std::string& uri, const CallOptions& call,
                                                const std::stop_token& stop) {
  const auto prefix = ParseUri(uri);
  if (!prefix) return prefix.error();
  const auto listing = ListPrefix(client, *prefix, {.delimiter = "/", .call = call, .stop = stop});
  if (!listing) return listing.error();
  std::vector<std::string> uris;
  for (const ObjectMetadata& object : listing->objects) {
    if (IsShard(object.name)) uris.push_back(ToUri({prefix->bucket, object.name}));
  }
  return uris;
}

Result<std::vector<std::string>> ShardsInDirectory(const std::string& path) {
  std::error_code error;
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    if (IsShard(entry->path().native())) paths.push_back(entry->path());
  }
  if (error) return Error{ErrorCode::kLocalIo, "cannot list '" + path + "': " + error.message()};
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Result<std::vector<std::string>> ShardsInFolder(const Client& client, const std::string& uri, const CallOptions& call,
                                                const std::stop_token& stop) {
  return IsObjectUri(uri) ? ShardsInBucket(client, uri, call, stop) : ShardsInDirectory(uri);
}

}  // namespace gcsflux::internal
