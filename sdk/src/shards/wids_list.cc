#include <nlohmann/json.hpp>

#include "base/object_name.h"
#include "shards/shard_names.h"

namespace gcsflux::internal {
namespace {

// "a/index.json" and "b.tar": "a/b.tar". With a scheme, the URL itself.
Result<std::string> NameOf(const std::string& bucket, const std::string& list, const std::string& url) {
  if (url.starts_with("gs://")) {
    const auto object = ParseUri(url);
    if (!object) return object.error();
    if (object->bucket == bucket) return object->name;
  } else if (!url.empty() && url.find("://") == std::string::npos && url.front() != '/') {
    return list.substr(0, list.rfind('/') + 1) + url.substr(url.starts_with("./") ? 2 : 0);
  }
  return Error{ErrorCode::kInvalidArgument, ToUri({bucket, list}) + ": the shard '" + url.substr(0, 200) +
                                                "' is not in the bucket of the list; copy both to one bucket"};
}

}  // namespace

Result<std::vector<WidsShard>> ReadWidsList(const std::string& bucket, const std::string& list, std::string_view json) {
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  const auto refuse = [&](const char* why) {
    return Error{ErrorCode::kUndecodable, ToUri({bucket, list}) + ": " + why};
  };
  if (!parsed.is_object() || parsed.value("__kind__", nlohmann::json()) != "wids-shard-index-v1") {
    return refuse("it is no list of shards in the format wids-shard-index-v1");
  }
  const auto shards = parsed.find("shardlist");
  if (shards == parsed.end() || !shards->is_array()) return refuse("it has no 'shardlist'");
  if (shards->size() > kMostShards) {
    return Error{ErrorCode::kInvalidArgument, ToUri({bucket, list}) + ": it has more than 1,000,000 shards"};
  }
  std::vector<WidsShard> found;
  for (const auto& shard : *shards) {
    if (!shard.is_object() || !shard.contains("url") || !shard["url"].is_string()) {
      return refuse("a shard of its 'shardlist' has no 'url'");
    }
    auto name = NameOf(bucket, list, shard["url"].get<std::string>());
    if (!name) return name.error();
    found.push_back({.name = *std::move(name)});
    const auto samples = shard.find("nsamples");
    if (samples == shard.end()) continue;
    if (!samples->is_number_unsigned()) return refuse("the 'nsamples' of a shard is not a number of samples");
    found.back().samples = samples->get<std::uint64_t>();
  }
  return found;
}

}  // namespace gcsflux::internal
