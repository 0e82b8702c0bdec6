#include <gflags/gflags.h>

#include <array>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments/names.h"
#include "cli/arguments/wildcards.h"
#include "cli/commands.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"

DECLARE_bool(json);

namespace gcsflux::cli {
namespace {

// What is known of an object or a bucket: lines for people, or members of a JSON object.
class Attributes {
 public:
  void Add(std::string_view label, std::string_view member, const std::string& text) {
    if (!text.empty()) AddLine(label, member, text, internal::JsonText(text));
  }
  void Add(std::string_view label, std::string_view member, std::integral auto number) {
    AddLine(label, member, std::to_string(number), std::to_string(number));
  }
  void AddTime(std::string_view label, std::string_view member, std::chrono::system_clock::time_point time) {
    if (time != std::chrono::system_clock::time_point()) Add(label, member, Iso8601(time));
  }
  void AddMetadata(const std::map<std::string, std::string>& metadata) {
    JsonObject json;
    for (const auto& [key, value] : metadata) {
      json.Add(key, value);
      lines_ += "  metadata." + Shown(key) + ": " + Shown(value) + "\n";
    }
    if (!metadata.empty()) json_.AddJson("metadata", json.text());
  }

  void Print(const std::string& uri) const {
    if (FLAGS_json) return PrintLine(JsonObject().Add("uri", uri).AddJson("attributes", json_.text()).text());
    std::cout << Shown(uri) << '\n' << lines_;
  }

 private:
  void AddLine(std::string_view label, std::string_view member, const std::string& text, const std::string& json) {
    constexpr std::size_t kWidth = 17;
    std::string line = "  " + std::string(label) + ":";
    line.append(line.size() < kWidth + 2 ? kWidth + 2 - line.size() : 1, ' ');
    lines_ += line + Shown(text) + "\n";
    json_.AddJson(member, json);
  }

  std::string lines_;
  JsonObject json_;
};

Result<void> StatObject(const Client& client, const NamedObject& named) {
  const auto object = client.GetObject(named.object, {.with_md5_hash = true, .generation = named.generation});
  if (!object) return object.error();
  Attributes attributes;
  attributes.Add("size", "size", object->size);
  attributes.Add("generation", "generation", object->generation);
  attributes.Add("metageneration", "metageneration", object->metageneration);
  attributes.Add("content type", "contentType", object->content_type);
  attributes.Add("encoding", "contentEncoding", object->content_encoding);
  attributes.Add("storage class", "storageClass", object->storage_class);
  attributes.AddTime("created", "timeCreated", object->time_created);
  attributes.AddTime("updated", "updated", object->updated);
  attributes.Add("cache control", "cacheControl", object->cache_control);
  if (object->crc32c) attributes.Add("crc32c", "crc32c", Hex(*object->crc32c));
  attributes.Add("md5 (base64)", "md5Hash", object->md5_hash);
  attributes.Add("etag", "etag", object->etag);
  attributes.AddMetadata(object->metadata);
  attributes.Print(UriOf(named));
  return {};
}

// "7 days", or "no" for zero.
std::string PeriodText(std::chrono::seconds period) {
  constexpr std::int64_t kDay = 86'400;
  if (period.count() == 0) return "no";
  if (period.count() % kDay != 0) return std::to_string(period.count()) + " s";
  return std::to_string(period.count() / kDay) + (period.count() == kDay ? " day" : " days");
}

Result<void> StatBucket(const Client& client, const ObjectName& name) {
  const auto bucket = client.GetBucket(name.bucket);
  if (!bucket) return bucket.error();
  Attributes attributes;
  attributes.Add("location", "location", bucket->location);
  attributes.Add("storage class", "storageClass", bucket->storage_class);
  attributes.Add("versioning", "versioning", std::string(bucket->has_versioning ? "yes" : "no"));
  attributes.Add("soft delete", "softDelete", PeriodText(bucket->soft_delete_retention));
  attributes.Add("retention", "retention", PeriodText(bucket->retention_period));
  attributes.Add("real folders", "hierarchicalNamespace",
                 std::string(bucket->has_hierarchical_namespace ? "yes" : "no"));
  attributes.Add("requester pays", "requesterPays", std::string(bucket->has_requester_pay ? "yes" : "no"));
  attributes.Add("kms key", "defaultKmsKeyName", bucket->default_kms_key_name);
  attributes.Add("metageneration", "metageneration", bucket->metageneration);
  attributes.AddTime("created", "timeCreated", bucket->time_created);
  attributes.AddTime("updated", "updated", bucket->updated);
  attributes.Print(ToUri(name));
  return {};
}

Result<void> Stat(const Client& client, const std::vector<std::string>& uris) {
  const auto names = ParseAll(uris);
  if (!names) return names.error();
  for (const ObjectName& name : *names) {
    if (name.name.empty()) {
      if (auto done = StatBucket(client, name); !done) return done;
      continue;
    }
    const auto print = [&](const std::vector<NamedObject>& objects) -> Result<void> {
      for (const NamedObject& object : objects) {
        if (auto done = StatObject(client, object); !done) return done;
      }
      return {};
    };
    if (auto done = ForObjectsOf(client, {ToUri(name)}, print); !done) return done;
  }
  return {};
}

constexpr CommandFlag kStatFlags[] = {{"json"}};

}  // namespace

constinit const Command kStat = {
    .name = "stat",
    .arguments = "gs://BUCKET[/OBJECT[#GENERATION]]...",
    .summary = "Show what Cloud Storage knows about objects and buckets.",
    .flags = kStatFlags,
    .run = Stat,
};

}  // namespace gcsflux::cli
