#include "json_api/access_control_json.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "http/target.h"

namespace gcsflux::emulator {
namespace {

using OrderedJson = nlohmann::ordered_json;

void AddWho(OrderedJson& resource, const std::string& entity) {
  const auto rest = [&](std::string_view prefix) { return entity.substr(prefix.size()); };
  if (entity.starts_with("user-")) resource["email"] = rest("user-");
  if (entity.starts_with("group-")) resource["email"] = rest("group-");
  if (entity.starts_with("domain-")) resource["domain"] = rest("domain-");
  if (!entity.starts_with("project-")) return;
  const std::size_t end = entity.find('-', 8);
  resource["projectTeam"] = {{"projectNumber", entity.substr(end + 1)}, {"team", entity.substr(8, end - 8)}};
}

}  // namespace

OrderedJson AccessControlResource(const AclOwner& owner, const AccessControl& entry) {
  OrderedJson resource = {
      {"kind", owner.kind == AclKind::kBucket ? "storage#bucketAccessControl" : "storage#objectAccessControl"}};
  std::string path = owner.bucket;
  if (owner.object != nullptr) path += "/" + owner.object->name + "/" + std::to_string(owner.object->generation);
  std::string link = owner.base_url + "/storage/v1/b/" + owner.bucket;
  if (owner.object != nullptr) link += "/o/" + EncodeSegment(owner.object->name);
  if (owner.kind != AclKind::kDefaultObject) {
    resource["id"] = path + "/" + entry.entity;
    resource["selfLink"] = link + "/acl/" + EncodeSegment(entry.entity);
    resource["bucket"] = owner.bucket;
  }
  if (owner.object != nullptr) {
    resource["object"] = owner.object->name;
    resource["generation"] = std::to_string(owner.object->generation);
  }
  resource["entity"] = entry.entity;
  resource["role"] = entry.role;
  AddWho(resource, entry.entity);
  resource["etag"] = owner.etag;
  return resource;
}

}  // namespace gcsflux::emulator
