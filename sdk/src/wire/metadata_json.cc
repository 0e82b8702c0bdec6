#include "wire/metadata_json.h"

#include <charconv>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text/base64.h"
#include "base/text/rfc3339.h"
#include "base/text/zero_byte.h"
#include "wire/bounded_json.h"

namespace gcsflux::internal {
namespace {

using Json = nlohmann::json;

// Thrown only within this file: a resource is read field by field, and each may be wrong.
struct WrongField {
  std::string what;
};

std::string Text(const Json& resource, const char* key) {
  const auto found = resource.find(key);
  if (found == resource.end()) return {};
  if (!found->is_string()) throw WrongField{std::string(key) + " is not a string"};
  return found->get<std::string>();
}

// A list in `resource`. Empty if there is none.
const Json& List(const Json& resource, const char* key) {
  static const Json& kEmpty = *new Json(Json::array());  // Never destroyed, as each static of this library.
  const auto found = resource.find(key);
  if (found == resource.end()) return kEmpty;
  if (!found->is_array()) throw WrongField{std::string(key) + " is not an array"};
  return *found;
}

// GCS writes 64-bit numbers as strings.
template <class Number>
Number NumberOf(const Json& resource, const char* key) {
  Number value{};
  if (!resource.contains(key)) return value;
  const std::string text = Text(resource, key);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) throw WrongField{std::string(key) + " is not a number"};
  return value;
}

// GCS writes 32-bit numbers as numbers.
std::uint32_t Count(const Json& resource, const char* key) {
  const auto found = resource.find(key);
  if (found == resource.end()) return 0;
  const bool is_count =
      found->is_number_unsigned() && found->get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
  if (!is_count) throw WrongField{std::string(key) + " is not a number of 32 bits"};
  return found->get<std::uint32_t>();
}

// An object in `resource`. Empty if there is none.
const Json& Below(const Json& resource, const char* key) {
  static const Json& kEmpty = *new Json(Json::object());
  const auto found = resource.find(key);
  if (found == resource.end()) return kEmpty;
  if (!found->is_object()) throw WrongField{std::string(key) + " is not an object"};
  return *found;
}

bool Flag(const Json& resource, const char* key) {
  const auto found = resource.find(key);
  if (found == resource.end()) return false;
  if (!found->is_boolean()) throw WrongField{std::string(key) + " is not true or false"};
  return found->get<bool>();
}

std::chrono::system_clock::time_point Time(const Json& resource, const char* key) {
  if (!resource.contains(key)) return {};
  const auto time = ParseRfc3339(Text(resource, key));
  if (!time) throw WrongField{std::string(key) + " is not a time"};
  return *time;
}

std::chrono::seconds Seconds(const Json& resource, const char* key) {
  return std::chrono::seconds(NumberOf<std::int64_t>(resource, key));
}

ObjectMetadata ToObject(const Json& resource) {
  ObjectMetadata object{.bucket = Text(resource, "bucket"),
                        .name = Text(resource, "name"),
                        .generation = NumberOf<std::int64_t>(resource, "generation"),
                        .metageneration = NumberOf<std::int64_t>(resource, "metageneration"),
                        .size = NumberOf<std::uint64_t>(resource, "size"),
                        .md5_hash = Text(resource, "md5Hash"),
                        .etag = Text(resource, "etag"),
                        .content_type = Text(resource, "contentType"),
                        .content_encoding = Text(resource, "contentEncoding"),
                        .content_disposition = Text(resource, "contentDisposition"),
                        .content_language = Text(resource, "contentLanguage"),
                        .cache_control = Text(resource, "cacheControl"),
                        .storage_class = Text(resource, "storageClass"),
                        .event_based_hold = Flag(resource, "eventBasedHold"),
                        .temporary_hold = Flag(resource, "temporaryHold"),
                        .kms_key_name = Text(resource, "kmsKeyName"),
                        .customer_key_sha256 = Text(Below(resource, "customerEncryption"), "keySha256"),
                        .component_count = Count(resource, "componentCount"),
                        .time_created = Time(resource, "timeCreated"),
                        .updated = Time(resource, "updated")};
  if (object.name.empty() || object.generation <= 0) throw WrongField{"an object has no name or no generation"};
  if (resource.contains("crc32c")) {
    object.crc32c = Crc32cFromBase64(Text(resource, "crc32c"));
    if (!object.crc32c) throw WrongField{"crc32c is not base64 of four bytes"};
    if (IsFalselyEmpty(resource.contains("size"), object.size, object.crc32c)) throw WrongField{kFalselyEmpty};
  }
  if (resource.contains("customTime")) object.custom_time = Time(resource, "customTime");
  for (const auto& [key, value] : Below(resource, "metadata").items()) {
    if (value.is_string()) object.metadata.emplace(key, value.get<std::string>());
  }
  return object;
}

void CheckIsAbout(const Json& resource, const ObjectMetadata& object, const AskedObject& asked) {
  if (object.bucket != asked.object.bucket || object.name != asked.object.name) {
    throw WrongField{"it is about " + ToUri({object.bucket, object.name}) + ", not about what was asked for"};
  }
  if (asked.generation && object.generation != *asked.generation) {
    throw WrongField{"it is about generation " + std::to_string(object.generation) + ", not about " +
                     std::to_string(*asked.generation) + ", which was asked for"};
  }
  if (asked.has_size && !resource.contains("size") && !MayBeEmpty(object.crc32c)) {
    throw WrongField{"the object has no size"};
  }
}

BucketMetadata ToBucket(const Json& resource) {
  BucketMetadata bucket{
      .name = Text(resource, "name"),
      .location = Text(resource, "location"),
      .storage_class = Text(resource, "storageClass"),
      .metageneration = NumberOf<std::int64_t>(resource, "metageneration"),
      .etag = Text(resource, "etag"),
      .has_versioning = Flag(Below(resource, "versioning"), "enabled"),
      .soft_delete_retention = Seconds(Below(resource, "softDeletePolicy"), "retentionDurationSeconds"),
      .retention_period = Seconds(Below(resource, "retentionPolicy"), "retentionPeriod"),
      .has_hierarchical_namespace = Flag(Below(resource, "hierarchicalNamespace"), "enabled"),
      .default_event_based_hold = Flag(resource, "defaultEventBasedHold"),
      .default_kms_key_name = Text(Below(resource, "encryption"), "defaultKmsKeyName"),
      .has_requester_pay = Flag(Below(resource, "billing"), "requesterPays"),
      .time_created = Time(resource, "timeCreated"),
      .updated = Time(resource, "updated")};
  if (bucket.name.empty()) throw WrongField{"a bucket has no name"};
  return bucket;
}

// Parses `text` and passes the resource on. Any error in it becomes kBadResponse.
template <class T>
Result<T> Parse(std::string_view text, const std::function<T(const Json&)>& convert) {
  // So many have the largest pages, of 5,000 objects with 8 KiB of metadata each.
  constexpr std::size_t kMostValues = 8'000'000;
  const Json document = ParseBounded(text, kMostValues);
  if (!document.is_object()) return NotTheServicesJson("no JSON object", text);
  try {
    return convert(document);
  } catch (const WrongField& wrong) {
    return NotTheServicesJson(wrong.what, text);
  } catch (const Json::exception&) {
    return NotTheServicesJson("a field of the wrong type", text);
  }
}

}  // namespace

Error NotTheServicesJson(std::string_view why, std::string_view text) {
  constexpr std::size_t kShown = 256;
  return Error{ErrorCode::kBadResponse, "the answer is not Cloud Storage's JSON (" + std::string(why) + "): '" +
                                            std::string(text.substr(0, kShown)) + "'"};
}

Result<ObjectMetadata> ParseObject(std::string_view json, const AskedObject& asked) {
  return Parse<ObjectMetadata>(json, [&](const Json& document) {
    ObjectMetadata object = ToObject(document);
    CheckIsAbout(document, object, asked);
    return object;
  });
}

Result<BucketMetadata> ParseBucket(std::string_view json, const std::string& asked) {
  return Parse<BucketMetadata>(json, [&](const Json& document) {
    BucketMetadata bucket = ToBucket(document);
    if (bucket.name != asked) throw WrongField{"it is about another bucket, '" + bucket.name + "'"};
    return bucket;
  });
}

bool AsksForSize(std::string_view fields) {
  if (fields.empty()) return true;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= fields.size(); ++i) {
    const char c = i < fields.size() ? fields[i] : ',';
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c != ',' || depth != 0) continue;
    if (fields.substr(begin, i - begin) == "size") return true;
    begin = i + 1;
  }
  return false;
}

Result<ObjectListing> ParseObjectPage(std::string_view json, bool has_sizes) {
  return Parse<ObjectListing>(json, [has_sizes](const Json& document) {
    ObjectListing page{.next_page_token = Text(document, "nextPageToken")};
    const Json& items = List(document, "items");
    page.objects.reserve(items.size());
    for (const Json& item : items) {
      page.objects.push_back(ToObject(item));
      if (has_sizes && !item.contains("size") && !MayBeEmpty(page.objects.back().crc32c)) {
        throw WrongField{"an object has no size"};
      }
    }
    if (const auto prefixes = document.find("prefixes"); prefixes != document.end()) {
      page.prefixes = prefixes->get<std::vector<std::string>>();
    }
    return page;
  });
}

Result<BucketPage> ParseBucketPage(std::string_view json) {
  return Parse<BucketPage>(json, [](const Json& document) {
    BucketPage page{.next_page_token = Text(document, "nextPageToken")};
    for (const Json& item : List(document, "items")) page.buckets.push_back(ToBucket(item));
    return page;
  });
}

Result<RewriteStep> ParseRewriteStep(std::string_view json, const AskedObject& asked) {
  return Parse<RewriteStep>(json, [&](const Json& document) {
    RewriteStep step{.progress = {.bytes = NumberOf<std::uint64_t>(document, "totalBytesRewritten"),
                                  .total = NumberOf<std::uint64_t>(document, "objectSize"),
                                  .rewrite_token = Text(document, "rewriteToken")}};
    if (Flag(document, "done")) {
      const Json& resource = Below(document, "resource");
      step.object = ToObject(resource);
      CheckIsAbout(resource, *step.object, asked);
      if (resource.contains("size") && document.contains("objectSize") && step.object->size != step.progress.total) {
        throw WrongField{"a rewrite has made an object of another size"};
      }
    } else if (step.progress.rewrite_token.empty()) {
      throw WrongField{"a rewrite is neither done nor has it a token"};
    }
    return step;
  });
}

Result<void> ParseNothing(std::string_view text) {
  const bool is_blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  if (is_blank || (Json::accept(text) && !HasZeroByte(text))) return {};
  return NotTheServicesJson("it should be empty", text);
}

Result<NewObjectRules> ParseNewObjectRules(std::string_view json) {
  return Parse<NewObjectRules>(json, [](const Json& document) {
    return NewObjectRules{
        .has_autoclass = Flag(Below(document, "autoclass"), "enabled"),
        .has_object_acls = !Flag(Below(Below(document, "iamConfiguration"), "uniformBucketLevelAccess"), "enabled")};
  });
}

Result<std::vector<std::string>> ParseDefaultAcl(std::string_view json) {
  return Parse<std::vector<std::string>>(json, [](const Json& document) {
    std::vector<std::string> entities;
    if (const auto found = document.find("defaultObjectAcl"); found != document.end()) {
      for (const Json& entry : *found) entities.push_back(Text(entry, "entity"));
    }
    return entities;
  });
}

Result<bool> ParseHasNotifications(std::string_view json) {
  return Parse<bool>(json, [](const Json& document) {
    const auto found = document.find("items");
    return found != document.end() && !found->empty();
  });
}

Result<std::vector<std::string>> ParsePermissions(std::string_view json) {
  return Parse<std::vector<std::string>>(json, [](const Json& document) {
    const auto found = document.find("permissions");
    return found == document.end() ? std::vector<std::string>() : found->get<std::vector<std::string>>();
  });
}

}  // namespace gcsflux::internal
