#include "wire/object_resource.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/rfc3339.h"
#include "base/text/utf8.h"

namespace gcsflux::internal {
namespace {

using Json = nlohmann::json;

Error NotUtf8(const std::string& what) { return Error{ErrorCode::kInvalidArgument, what + " is not UTF-8"}; }

// The text members and their names in the JSON API.
constexpr std::pair<const char*, std::string ObjectAttributes::*> kAttributes[] = {
    {"contentType", &ObjectAttributes::content_type},
    {"contentEncoding", &ObjectAttributes::content_encoding},
    {"contentDisposition", &ObjectAttributes::content_disposition},
    {"contentLanguage", &ObjectAttributes::content_language},
    {"cacheControl", &ObjectAttributes::cache_control},
    {"storageClass", &ObjectAttributes::storage_class},
};
constexpr std::pair<const char*, std::optional<std::string> ObjectChanges::*> kChanges[] = {
    {"contentType", &ObjectChanges::content_type},
    {"contentEncoding", &ObjectChanges::content_encoding},
    {"contentDisposition", &ObjectChanges::content_disposition},
    {"contentLanguage", &ObjectChanges::content_language},
    {"cacheControl", &ObjectChanges::cache_control},
};

}  // namespace

std::string ObjectFields(std::string_view asked) {
  if (!asked.empty()) return "bucket,name,generation," + std::string(asked);
  return "bucket,name,generation,metageneration,size,crc32c,etag,contentType,contentEncoding,contentDisposition,"
         "contentLanguage,cacheControl,storageClass,customTime,eventBasedHold,temporaryHold,kmsKeyName,"
         "customerEncryption,componentCount,timeCreated,updated,metadata";
}

Result<void> CheckAttributes(const ObjectAttributes& attributes) {
  for (const auto& [name, member] : kAttributes) {
    if (!IsUtf8(attributes.*member)) return NotUtf8(name);
  }
  for (const auto& [key, value] : attributes.metadata) {
    if (!IsUtf8(key) || !IsUtf8(value)) return NotUtf8("an object's metadata");
  }
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7F'; };
  if (std::any_of(attributes.content_type.begin(), attributes.content_type.end(), is_control)) {
    return Error{ErrorCode::kInvalidArgument, "a content type holds a control character"};
  }
  return {};
}

Result<void> CheckChanges(const ObjectChanges& changes) {
  for (const auto& [name, member] : kChanges) {
    if (const auto& text = changes.*member; text && !IsUtf8(*text)) return NotUtf8(name);
  }
  for (const auto& [key, value] : changes.metadata) {
    if (!IsUtf8(key) || (value && !IsUtf8(*value))) return NotUtf8("an object's metadata");
  }
  return {};
}

Json ToJson(const ObjectAttributes& attributes) {
  Json resource = Json::object();
  for (const auto& [name, member] : kAttributes) {
    if (const std::string& text = attributes.*member; !text.empty()) resource[name] = text;
  }
  if (attributes.custom_time) resource["customTime"] = FormatRfc3339(*attributes.custom_time);
  if (attributes.event_based_hold) resource["eventBasedHold"] = true;
  if (attributes.temporary_hold) resource["temporaryHold"] = true;
  if (!attributes.metadata.empty()) resource["metadata"] = attributes.metadata;
  return resource;
}

Json ToJson(const ObjectChanges& changes) {
  Json resource = Json::object();
  for (const auto& [name, member] : kChanges) {
    const auto& text = changes.*member;
    if (text) resource[name] = text->empty() ? Json() : Json(*text);
  }
  if (changes.custom_time) resource["customTime"] = FormatRfc3339(*changes.custom_time);
  if (changes.event_based_hold) resource["eventBasedHold"] = *changes.event_based_hold;
  if (changes.temporary_hold) resource["temporaryHold"] = *changes.temporary_hold;
  for (const auto& [key, value] : changes.metadata) resource["metadata"][key] = value ? Json(*value) : Json();
  return resource;
}

HttpRequest JsonRequest(Method method, std::string url, const Json& body) {
  return {.method = method,
          .url = std::move(url),
          .headers = {{"Content-Type", "application/json; charset=UTF-8"}},
          .head = body.dump()};
}

}  // namespace gcsflux::internal
