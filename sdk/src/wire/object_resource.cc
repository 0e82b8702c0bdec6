#include "wire/object_resource.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/rfc3339.h"

namespace gcsflux::internal {

nlohmann::json ToJson(const ObjectAttributes& attributes) {
  nlohmann::json resource = nlohmann::json::object();
  for (const auto& [key, text] : {std::pair("contentType", &attributes.content_type),
                                  {"contentEncoding", &attributes.content_encoding},
                                  {"contentDisposition", &attributes.content_disposition},
                                  {"contentLanguage", &attributes.content_language},
                                  {"cacheControl", &attributes.cache_control},
                                  {"storageClass", &attributes.storage_class}}) {
    if (!text->empty()) resource[key] = *text;
  }
  if (attributes.custom_time) resource["customTime"] = FormatRfc3339(*attributes.custom_time);
  if (attributes.event_based_hold) resource["eventBasedHold"] = true;
  if (attributes.temporary_hold) resource["temporaryHold"] = true;
  if (!attributes.metadata.empty()) resource["metadata"] = attributes.metadata;
  return resource;
}

HttpRequest JsonRequest(Method method, std::string url, const nlohmann::json& body) {
  return {.method = method,
          .url = std::move(url),
          .headers = {{"Content-Type", "application/json; charset=UTF-8"}},
          .head = body.dump()};
}

}  // namespace gcsflux::internal
