#include "json_api/resource_json.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/access_control_list.h"
#include "api/custom_time.h"
#include "api/object_etag.h"
#include "base/base64.h"
#include "base/time_format.h"
#include "http/hash_text.h"
#include "http/target.h"
#include "json_api/access_control_json.h"

namespace gcsflux::emulator {
namespace {

// When it was made, or when its storage class changed later.
Time StorageClassTime(const Object& object) {
  const bool has_changed = object.extras != nullptr && object.extras->storage_class_updated;
  return has_changed ? *object.extras->storage_class_updated : object.time_created;
}

std::string ObjectPath(const ObjectView& view) {
  return "/storage/v1/b/" + std::string(view.bucket) + "/o/" + EncodeSegment(view.object.name);
}

std::string MediaLink(const ObjectView& view) {
  return std::string(view.base_url) + "/download" + ObjectPath(view) +
         "?generation=" + std::to_string(view.object.generation) + "&alt=media";
}

std::string ObjectId(const ObjectView& view) {
  return std::string(view.bucket) + "/" + view.object.name + "/" + std::to_string(view.object.generation);
}

void WriteMetadata(JsonWriter& json, const ObjectView& view) {
  json.Key("metadata");
  json.BeginObject();
  for (const auto& [key, value] : view.object.attributes->metadata) {
    if (view.metadata->Includes(key)) json.Member(key, value);
  }
  json.EndObject();
}

void WriteOwner(JsonWriter& json, const ObjectView& view) {
  json.Key("owner");
  json.BeginObject();
  json.Member("entity", OwnerOf(*view.object.attributes));
  json.EndObject();
}

void WriteAcl(JsonWriter& json, const ObjectView& view) {
  const AclOwner owner{.kind = AclKind::kObject,
                       .bucket = std::string(view.bucket),
                       .base_url = std::string(view.base_url),
                       .etag = ObjectEtag(view.object),
                       .object = &view.object};
  json.Key("acl");
  json.BeginArray();
  for (const AccessControl& entry : ObjectAcl(*view.object.attributes)) {
    json.Raw(AccessControlResource(owner, entry).dump());
  }
  json.EndArray();
}

void WriteSetting(JsonWriter& json, const char* name, const ObjectView& view) {
  const auto& settings = view.object.attributes->settings;
  const auto found = settings.find(name);
  if (found == settings.end()) return;
  json.Key(name);
  json.Raw(found->second);
}

void MemberUnlessEmpty(JsonWriter& json, std::string_view key, const std::string& value) {
  if (!value.empty()) json.Member(key, value);
}

bool HidesHashes(const ObjectView& view) { return !view.has_key && !CustomerKeySha256(view.object).empty(); }

void WriteHold(JsonWriter& json, std::string_view key, const std::optional<bool>& hold) {
  if (!hold) return;
  json.Key(key);
  json.Boolean(*hold);
}

void WriteCustomerEncryption(JsonWriter& json, const Object& object) {
  if (CustomerKeySha256(object).empty()) return;
  json.Key("customerEncryption");
  json.BeginObject();
  json.Member("encryptionAlgorithm", "AES256");
  json.Member("keySha256", CustomerKeySha256(object));
  json.EndObject();
}

using View = ObjectView;

// Every field of an object's resource, in the order in which GCS shows them.
constexpr std::array kObjectFields = {
    ObjectRenderer::Field{"kind", [](JsonWriter& j, const View&) { j.Member("kind", "storage#object"); }},
    ObjectRenderer::Field{"id", [](JsonWriter& j, const View& v) { j.Member("id", ObjectId(v)); }},
    ObjectRenderer::Field{
        "selfLink", [](JsonWriter& j, const View& v) { j.Member("selfLink", std::string(v.base_url) + ObjectPath(v)); }},
    ObjectRenderer::Field{"mediaLink", [](JsonWriter& j, const View& v) { j.Member("mediaLink", MediaLink(v)); }},
    ObjectRenderer::Field{"name", [](JsonWriter& j, const View& v) { j.Member("name", v.object.name); }},
    ObjectRenderer::Field{"bucket", [](JsonWriter& j, const View& v) { j.Member("bucket", v.bucket); }},
    ObjectRenderer::Field{
        "generation",
        [](JsonWriter& j, const View& v) { j.Member("generation", std::to_string(v.object.generation)); }},
    ObjectRenderer::Field{
        "metageneration",
        [](JsonWriter& j, const View& v) { j.Member("metageneration", std::to_string(v.object.metageneration)); }},
    ObjectRenderer::Field{
        "contentType",
        [](JsonWriter& j, const View& v) { MemberUnlessEmpty(j, "contentType", v.object.attributes->content_type); }},
    ObjectRenderer::Field{
        "storageClass", [](JsonWriter& j, const View& v) { j.Member("storageClass", v.object.attributes->storage_class); }},
    ObjectRenderer::Field{
        "size", [](JsonWriter& j, const View& v) { j.Member("size", std::to_string(v.object.body->size())); }},
    ObjectRenderer::Field{"md5Hash",
                          [](JsonWriter& j, const View& v) {
                            if (HasMd5(v.object) && !HidesHashes(v)) {
                              j.Member("md5Hash", EncodeMd5(v.object.body->md5()));
                            }
                          }},
    ObjectRenderer::Field{
        "crc32c",
        [](JsonWriter& j, const View& v) {
          if (!HidesHashes(v)) j.Member("crc32c", EncodeCrc32c(v.object.body->crc32c()));
        }},
    ObjectRenderer::Field{"etag", [](JsonWriter& j, const View& v) { j.Member("etag", ObjectEtag(v.object)); }},
    ObjectRenderer::Field{
        "cacheControl",
        [](JsonWriter& j, const View& v) { MemberUnlessEmpty(j, "cacheControl", v.object.attributes->cache_control); }},
    ObjectRenderer::Field{"contentDisposition",
                          [](JsonWriter& j, const View& v) {
                            MemberUnlessEmpty(j, "contentDisposition", v.object.attributes->content_disposition);
                          }},
    ObjectRenderer::Field{
        "contentEncoding",
        [](JsonWriter& j, const View& v) { MemberUnlessEmpty(j, "contentEncoding", v.object.attributes->content_encoding); }},
    ObjectRenderer::Field{
        "contentLanguage",
        [](JsonWriter& j, const View& v) { MemberUnlessEmpty(j, "contentLanguage", v.object.attributes->content_language); }},
    ObjectRenderer::Field{
        "customTime",
        [](JsonWriter& j, const View& v) { MemberUnlessEmpty(j, "customTime", ShowCustomTime(v.object.attributes->custom_time)); }},
    ObjectRenderer::Field{
        "timeCreated", [](JsonWriter& j, const View& v) { j.Member("timeCreated", FormatRfc3339(v.object.time_created)); }},
    ObjectRenderer::Field{
        "updated", [](JsonWriter& j, const View& v) { j.Member("updated", FormatRfc3339(v.object.updated)); }},
    ObjectRenderer::Field{"timeStorageClassUpdated",
                          [](JsonWriter& j, const View& v) {
                            j.Member("timeStorageClassUpdated", FormatRfc3339(StorageClassTime(v.object)));
                          }},
    ObjectRenderer::Field{
        "timeDeleted",
        [](JsonWriter& j, const View& v) {
          if (v.object.extras == nullptr || !v.object.extras->time_deleted) return;
          j.Member("timeDeleted", FormatRfc3339(*v.object.extras->time_deleted));
        }},
    ObjectRenderer::Field{
        "softDeleteTime",
        [](JsonWriter& j, const View& v) {
          if (IsSoftDeleted(v.object)) j.Member("softDeleteTime", FormatRfc3339(v.object.extras->soft_deletion->deleted));
        }},
    ObjectRenderer::Field{
        "hardDeleteTime",
        [](JsonWriter& j, const View& v) {
          if (!IsSoftDeleted(v.object)) return;
          j.Member("hardDeleteTime", FormatRfc3339(v.object.extras->soft_deletion->hard_delete));
        }},
    ObjectRenderer::Field{
        "eventBasedHold",
        [](JsonWriter& j, const View& v) { WriteHold(j, "eventBasedHold", v.object.attributes->event_based_hold); }},
    ObjectRenderer::Field{
        "temporaryHold",
        [](JsonWriter& j, const View& v) { WriteHold(j, "temporaryHold", v.object.attributes->temporary_hold); }},
    ObjectRenderer::Field{"retention", [](JsonWriter& j, const View& v) { WriteSetting(j, "retention", v); }},
    ObjectRenderer::Field{"customerEncryption",
                          [](JsonWriter& j, const View& v) { WriteCustomerEncryption(j, v.object); }},
    ObjectRenderer::Field{
        "kmsKeyName",
        [](JsonWriter& j, const View& v) {
          if (v.object.extras != nullptr) MemberUnlessEmpty(j, "kmsKeyName", v.object.extras->encryption.kms_key_name);
        }},
    ObjectRenderer::Field{"componentCount",
                          [](JsonWriter& j, const View& v) {
                            if (v.object.component_count == 0) return;
                            j.Key("componentCount");
                            j.Number(v.object.component_count);
                          }},
    ObjectRenderer::Field{"metadata",
                          [](JsonWriter& j, const View& v) {
                            if (!v.object.attributes->metadata.empty()) WriteMetadata(j, v);
                          }},
};

// The fields that `projection=full` adds.
constexpr std::array kAclFields = {
    ObjectRenderer::Field{"owner", [](JsonWriter& j, const View& v) { WriteOwner(j, v); }},
    ObjectRenderer::Field{"acl", [](JsonWriter& j, const View& v) { WriteAcl(j, v); }},
};

}  // namespace

ObjectRenderer::ObjectRenderer(const FieldMask& mask, bool shows_acl) {
  if (mask.Includes("metadata")) metadata_ = mask.Inside("metadata");
  for (const Field& field : kObjectFields) {
    if (mask.Includes(field.name)) fields_.push_back(&field);
  }
  for (const Field& field : kAclFields) {
    if (shows_acl && mask.Includes(field.name)) fields_.push_back(&field);
  }
}

void ObjectRenderer::Write(JsonWriter& json, ObjectView view) const {
  view.metadata = &metadata_;
  json.BeginObject();
  for (const Field* field : fields_) field->write(json, view);
  json.EndObject();
}

}  // namespace gcsflux::emulator
