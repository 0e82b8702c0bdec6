#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "api/access_control_list.h"
#include "json_api/api_call.h"

namespace gcsflux::emulator {

/// What an entry of an access control list belongs to.
struct AclOwner {
  AclKind kind = AclKind::kBucket;
  std::string bucket = {};
  std::string base_url = {};
  std::string etag = {};
  const Object* object = nullptr;  ///< Of kObject.
};

/// https://cloud.google.com/storage/docs/json_api/v1/objectAccessControls#resource and its like for buckets.
nlohmann::ordered_json AccessControlResource(const AclOwner& owner, const AccessControl& entry);

}  // namespace gcsflux::emulator
