#include "shards/find_shards.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/object_name.h"
#include "formats/bytes/format_error.h"
#include "gcsflux/object_reader.h"
#include "shards/shard_names.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kMostListBytes = std::uint64_t{256} << 20;

using Found = std::map<std::string, ListedObject, std::less<>>;

// All objects that may be shards or their indexes, by name.
Result<Found> ListAll(const Client& client, const ObjectName& prefix, ParallelListOptions options) {
  options.include_directory_markers = false;
  options.limit.reset();
  auto listing = ListInParallel(client, prefix, options);
  if (!listing) return listing.error();
  Found found;
  for (ListedObject& object : listing->objects) found.emplace_hint(found.end(), object.name, std::move(object));
  return found;
}

FoundShard WithIndex(const Found& found, const ListedObject& shard) {
  const auto index = found.find(shard.name + std::string(kIndexEnding));
  return {.shard = shard, .index = index == found.end() ? std::nullopt : std::optional(index->second)};
}

std::string CommonPrefix(const std::vector<WidsShard>& shards) {
  std::string_view common = shards.front().name;
  for (const auto& [name, samples] : shards) {
    const auto end = std::mismatch(common.begin(), common.end(), name.begin(), name.end()).first;
    common = common.substr(0, static_cast<std::size_t>(end - common.begin()));
  }
  return std::string(common);
}

Result<std::vector<FoundShard>> FindNamed(const Client& client, const ObjectName& shards,
                                          const std::vector<WidsShard>& names, const ParallelListOptions& options) {
  if (names.empty()) return Error{ErrorCode::kEmptyPrefix, ToUri(shards) + ": the list has no shards"};
  const auto found = ListAll(client, {shards.bucket, CommonPrefix(names)}, options);
  if (!found) return found.error();
  std::vector<FoundShard> result;
  for (const auto& [name, samples] : names) {
    const auto shard = found->find(name);
    if (shard == found->end()) {
      return Error{ErrorCode::kNotFound, ToUri(shards) + ": there is no shard " + ToUri({shards.bucket, name})};
    }
    result.push_back(WithIndex(*found, shard->second));
    result.back().samples = samples;
  }
  return result;
}

Result<std::vector<WidsShard>> ShardsOfList(const Client& client, const ObjectName& list,
                                            const ParallelListOptions& options) {
  const auto reader = ObjectReader::Open(client, list, {.call = options.call, .stop = options.stop});
  if (!reader) return reader.error();
  if (reader->size() > kMostListBytes) {
    return Error{ErrorCode::kUndecodable,
                 ToUri(list) + ": a list of shards is not of " + std::to_string(reader->size()) + " bytes"};
  }
  std::string json(static_cast<std::size_t>(reader->size()), '\0');
  if (auto read = reader->ReadAt(0, std::as_writable_bytes(std::span(json))); !read) return read.error();
  if (auto verified = reader->VerifyWhole(); !verified) return verified.error();
  return ReadWidsList(list.bucket, list.name, json);
}

Result<std::vector<FoundShard>> FindUnder(const Client& client, const ObjectName& prefix,
                                          const ParallelListOptions& options) {
  const auto found = ListAll(client, prefix, options);
  if (!found) return found.error();
  std::vector<FoundShard> result;
  std::string compressed;
  for (const auto& [name, object] : *found) {
    if (name.ends_with(".tar")) result.push_back(WithIndex(*found, object));
    if (name.ends_with(".tar.gz") || name.ends_with(".tgz")) compressed = name;
  }
  if (!result.empty()) return result;
  const std::string hint = compressed.empty() ? "" : "; " + compressed + " is compressed, store it as plain tar";
  return Error{ErrorCode::kEmptyPrefix,
               ToUri(prefix) + ": no object under this prefix has a name that ends with .tar" + hint};
}

}  // namespace

Result<std::vector<FoundShard>> FindShards(const Client& client, const ObjectName& shards,
                                           const ParallelListOptions& options) {
  if (shards.name.ends_with(".json")) {
    const auto names = ShardsOfList(client, shards, options);
    if (!names) return names.error();
    return FindNamed(client, shards, *names, options);
  }
  if (shards.name.find_first_of("{}") == std::string::npos) return FindUnder(client, shards, options);
  const auto names = ExpandBraces(shards.name);
  if (!names) return names.error();
  std::vector<WidsShard> named;
  for (const std::string& name : *names) named.push_back({.name = name});
  return FindNamed(client, shards, named, options);
}

Result<std::vector<ShardIndex>> LoadIndexes(const Client& client, const std::string& bucket,
                                            const std::vector<FoundShard>& shards, const DownloaderOptions& options) {
  std::vector<ListedObject> objects;
  objects.reserve(shards.size());
  for (const FoundShard& found : shards) objects.push_back(*found.index);
  DownloaderOptions all_or_nothing = options;
  all_or_nothing.delivers_failures = false;
  all_or_nothing.allocator = nullptr;
  const Downloader downloader(client, all_or_nothing);
  auto stream = downloader.Stream(DownloadSources(bucket, objects), DeliveryOrder::kAsCompleted);
  std::vector<ShardIndex> indexes(shards.size());
  while (true) {
    auto next = stream.Next();
    if (!next) return next.error();
    if (!*next) return indexes;
    const ListedObject& shard = shards[(*next)->index].shard;
    auto index = DecodeShardIndex(ToUri({bucket, objects[(*next)->index].name}), (*next)->bytes);
    if (!index) return index.error();
    if (index->generation != shard.generation || index->size != shard.size) {
      return Error{
          ErrorCode::kStale,
          ToUri({bucket, shard.name}) + ": the shard has changed since its index was made; run `gcsflux shards index`"};
    }
    indexes[(*next)->index] = *std::move(index);
  }
}

DownloadSource SamplePlaces::SourceOf(std::size_t sample, const ListedObject& listed) const {
  const Place& place = places[sample];
  return {.object = {bucket, shards[place.shard]},
          .size = listed.size,
          .generation = listed.generation,
          .crc32c = listed.crc32c,
          .kms_key_name = listed.kms_key_name,
          .offset = place.offset};
}

Result<IndexedSamples> SamplesOf(const std::string& bucket, const std::vector<FoundShard>& shards,
                                 const std::vector<ShardIndex>& indexes) {
  IndexedSamples all{.places = {.bucket = bucket}};
  std::size_t count = 0;
  for (const ShardIndex& index : indexes) count += index.samples.size();
  all.samples.reserve(count);
  all.places.places.reserve(count);
  std::string last_key;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const ListedObject& shard = shards[i].shard;
    all.places.shards.push_back(shard.name);
    if (const auto told = shards[i].samples; told && *told != indexes[i].samples.size()) {
      return Error{ErrorCode::kStale, ToUri({bucket, shard.name}) + ": it has " +
                                          std::to_string(indexes[i].samples.size()) + " samples, and its list says " +
                                          std::to_string(*told) + "; make the list again"};
    }
    for (const ShardIndex::Sample& sample : indexes[i].samples) {
      std::string key = indexes[i].KeyOf(sample);
      if (key == last_key) {
        return Error{ErrorCode::kUndecodable, ToUri({bucket, shard.name}) + ": its first sample " + Shown(key) +
                                                  " is the last one of the shard before it: it was split"};
      }
      ListedObject object = shard;
      object.name += "/" + key;
      object.size = indexes[i].SizeOf(sample);
      object.crc32c = sample.crc32c;
      all.samples.push_back(std::move(object));
      all.places.places.push_back({.offset = indexes[i].BeginOf(sample), .shard = i});
      last_key = std::move(key);
    }
  }
  return all;
}

}  // namespace gcsflux::internal
