#include "json_api/resource_requests.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/access_control_list.h"
#include "api/custom_time.h"
#include "base/parse_time.h"
#include "base/time_format.h"
#include "http/hash_text.h"
#include "http/json_error.h"
#include "json/bounded_json.h"
#include "store/objects/attribute_rules.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxComposeSources = 32;

struct StringAttribute {
  const char* name;
  std::string ObjectAttributes::*member;
};

constexpr std::array kStringAttributes = {
    StringAttribute{"contentType", &ObjectAttributes::content_type},
    StringAttribute{"contentEncoding", &ObjectAttributes::content_encoding},
    StringAttribute{"contentDisposition", &ObjectAttributes::content_disposition},
    StringAttribute{"contentLanguage", &ObjectAttributes::content_language},
    StringAttribute{"cacheControl", &ObjectAttributes::cache_control},
    StringAttribute{"customTime", &ObjectAttributes::custom_time},
    StringAttribute{"storageClass", &ObjectAttributes::storage_class},
};

tl::unexpected<ApiError> WrongType(const std::string& field) {
  return tl::unexpected(BadRequest("Invalid value for field '" + field + "'."));
}

ApiResult<Json> ParseObjectOrNothing(std::string_view text) {
  Json parsed = ParseBoundedJson(text);
  if (parsed.is_null()) return Json::object();  // Go's client sends an empty body
  if (!parsed.is_object()) {
    return tl::unexpected(NotJsonObject(text));
  }
  return parsed;
}

ApiResult<std::optional<std::string>> ReadString(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (!found->is_string()) return WrongType(name);
  return found->get<std::string>();
}

// GCS writes 64-bit numbers as strings, and accepts both.
ApiResult<std::optional<std::int64_t>> ReadInt64(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  if (!found->is_string()) return WrongType(name);
  const auto& text = found->get_ref<const std::string&>();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return WrongType(name);
  return value;
}

// Applies a merge patch. A whole resource is a special case of one.
ApiResult<void> MergeMetadata(const Json& patch, std::map<std::string, std::string>& metadata) {
  if (patch.is_null()) {
    metadata.clear();
    return {};
  }
  if (!patch.is_object()) return WrongType("metadata");
  for (const auto& [key, value] : patch.items()) {
    if (value.is_null()) {
      metadata.erase(key);
    } else if (value.is_string()) {
      metadata[key] = value.get<std::string>();
    } else {
      return WrongType("metadata." + key);
    }
  }
  return {};
}

ApiResult<std::string> ReadRetention(const Json& given) {
  if (!given.is_object()) return WrongType("retention");
  const std::string mode = given.value("mode", Json()).is_string() ? given["mode"].get<std::string>() : "";
  const Json time = given.value("retainUntilTime", Json());
  const std::optional<Time> until = time.is_string() ? ParseRfc3339(time.get<std::string>()) : std::nullopt;
  if (mode != "Locked" && mode != "Unlocked") return WrongType("retention.mode");
  if (!until) return WrongType("retention.retainUntilTime");
  return Json{{"mode", mode}, {"retainUntilTime", FormatRfc3339(*until)}}.dump();
}

// What few objects have.
ApiResult<void> MergeSettings(const Json& patch, std::map<std::string, std::string>& settings) {
  const auto acl = ReadAclMember(patch, AclKind::kObject);
  if (!acl) return tl::unexpected(acl.error());
  if (*acl) settings["acl"] = EncodeAcl(**acl);
  if (patch.contains("acl") && !*acl) settings.erase("acl");
  if (const auto found = patch.find("retention"); found != patch.end()) {
    settings.erase("retention");
    const bool is_none = found->is_null() || found->empty();
    const ApiResult<std::string> retention = is_none ? std::string() : ReadRetention(*found);
    if (!retention) return tl::unexpected(retention.error());
    if (!is_none) settings["retention"] = *retention;
  }
  if (const auto found = patch.find("contexts"); found != patch.end() && !found->is_null() && !found->empty()) {
    return tl::unexpected(ApiError{501, "notImplemented", "The emulator does not serve the field contexts."});
  }
  return {};
}

ApiResult<void> MergeAttributes(const Json& patch, ObjectAttributes& attributes) {
  for (const StringAttribute& attribute : kStringAttributes) {
    const auto found = patch.find(attribute.name);
    if (found == patch.end()) continue;
    if (!found->is_null() && !found->is_string()) return WrongType(attribute.name);
    attributes.*attribute.member = found->is_null() ? std::string() : found->get<std::string>();
  }
  for (const auto& [name, hold] : {std::pair("eventBasedHold", &ObjectAttributes::event_based_hold),
                                   std::pair("temporaryHold", &ObjectAttributes::temporary_hold)}) {
    const auto found = patch.find(name);
    if (found == patch.end()) continue;
    if (!found->is_null() && !found->is_boolean()) return WrongType(name);
    attributes.*hold = found->is_null() ? std::nullopt : std::optional(found->get<bool>());
  }
  if (auto merged = MergeSettings(patch, attributes.settings); !merged) return merged;
  if (!attributes.custom_time.empty()) {
    std::optional<std::string> time = ReadCustomTime(attributes.custom_time);
    if (!time) return WrongType("customTime");
    attributes.custom_time = *std::move(time);
  }
  const auto metadata = patch.find("metadata");
  return metadata != patch.end() ? MergeMetadata(*metadata, attributes.metadata) : ApiResult<void>();
}

ApiResult<void> ReadHashes(const Json& object, ExpectedHashes& hashes) {
  const auto crc32c = ReadString(object, "crc32c");
  const auto md5 = ReadString(object, "md5Hash");
  if (!crc32c) return tl::unexpected(crc32c.error());
  if (!md5) return tl::unexpected(md5.error());
  if (*crc32c && !(hashes.crc32c = DecodeCrc32c(**crc32c))) return WrongType("crc32c");
  if (*md5 && !(hashes.md5 = DecodeMd5(**md5))) return WrongType("md5Hash");
  return {};
}

ApiResult<ObjectSelector> ParseComposeSource(const Json& source) {
  if (!source.is_object()) return WrongType("sourceObjects");
  const auto name = ReadString(source, "name");
  const auto generation = ReadInt64(source, "generation");
  if (!name) return tl::unexpected(name.error());
  if (!generation) return tl::unexpected(generation.error());
  if (!*name || (*name)->empty()) return tl::unexpected(ApiError{400, "required", "Required: sourceObjects.name"});
  ObjectSelector selector{.name = **name, .generation = *generation};
  const auto preconditions = source.find("objectPreconditions");
  if (preconditions == source.end() || preconditions->is_null()) return selector;
  if (!preconditions->is_object()) return WrongType("objectPreconditions");
  const auto match = ReadInt64(*preconditions, "ifGenerationMatch");
  if (!match) return tl::unexpected(match.error());
  selector.preconditions.if_generation_match = *match;
  return selector;
}

}  // namespace

ApiResult<ObjectResource> ParseObjectResource(std::string_view text) {
  ObjectResource resource;
  if (text.empty()) return resource;
  const ApiResult<Json> parsed = ParseObjectOrNothing(text);
  if (!parsed) return tl::unexpected(parsed.error());
  if (auto merged = MergeAttributes(*parsed, resource.attributes); !merged) return tl::unexpected(merged.error());
  const Outcome<void> checked = CheckAttributes(resource.attributes);
  if (!checked) return tl::unexpected(ToApiError(checked.error()));
  auto name = ReadString(*parsed, "name");
  if (!name) return tl::unexpected(name.error());
  resource.name = *std::move(name);
  if (auto read = ReadHashes(*parsed, resource.hashes); !read) return tl::unexpected(read.error());
  return resource;
}

ApiResult<ComposeResource> ParseComposeResource(std::string_view text) {
  const ApiResult<Json> parsed = ParseObjectOrNothing(text);
  if (!parsed) return tl::unexpected(parsed.error());
  ComposeResource compose;
  const auto sources = parsed->find("sourceObjects");
  if (sources == parsed->end() || !sources->is_array() || sources->empty()) {
    return tl::unexpected(ApiError{400, "required", "You must provide at least one source component."});
  }
  if (sources->size() > kMaxComposeSources) {
    return tl::unexpected(BadRequest("The number of source components provided (" + std::to_string(sources->size()) +
                                     ") exceeds the maximum (32)"));
  }
  for (const Json& source : *sources) {
    ApiResult<ObjectSelector> selector = ParseComposeSource(source);
    if (!selector) return tl::unexpected(selector.error());
    compose.sources.push_back(*std::move(selector));
  }
  const auto destination = parsed->find("destination");
  if (destination != parsed->end() && !destination->is_null()) {
    if (!destination->is_object()) return WrongType("destination");
    if (auto merged = MergeAttributes(*destination, compose.attributes); !merged) {
      return tl::unexpected(merged.error());
    }
    const Outcome<void> checked = CheckAttributes(compose.attributes);
    if (!checked) return tl::unexpected(ToApiError(checked.error()));
  }
  const auto deletes = parsed->find("deleteSourceObjects");
  if (deletes != parsed->end()) {
    if (!deletes->is_boolean()) return WrongType("deleteSourceObjects");
    compose.delete_source_objects = deletes->get<bool>();
  }
  return compose;
}

ApiResult<AttributesChange> ParseObjectPatch(std::string_view text) {
  ApiResult<Json> parsed = ParseObjectOrNothing(text);
  if (!parsed) return tl::unexpected(parsed.error());
  // Whether a patch is valid does not depend on what it is applied to.
  ObjectAttributes trial;
  if (auto merged = MergeAttributes(*parsed, trial); !merged) return tl::unexpected(merged.error());
  return [patch = *std::move(parsed)](ObjectAttributes& attributes) {
    const std::string storage_class = attributes.storage_class;
    (void)MergeAttributes(patch, attributes);
    attributes.storage_class = storage_class;
  };
}

ApiResult<AttributesChange> ParseObjectUpdate(std::string_view text) {
  ApiResult<Json> parsed = ParseObjectOrNothing(text);
  if (!parsed) return tl::unexpected(parsed.error());
  ObjectAttributes given;
  if (auto merged = MergeAttributes(*parsed, given); !merged) return tl::unexpected(merged.error());
  return [given = std::move(given)](ObjectAttributes& attributes) {
    ObjectAttributes updated = given;
    updated.storage_class = attributes.storage_class;
    if (updated.custom_time.empty()) updated.custom_time = attributes.custom_time;
    for (const auto& [name, setting] : attributes.settings) updated.settings.emplace(name, setting);
    attributes = std::move(updated);
  };
}

}  // namespace gcsflux::emulator
