#pragma once

#include <nlohmann/json_fwd.hpp>
#include <pugixml.hpp>
#include <string_view>

#include "http/xml_error.h"
#include "http/xml_writer.h"

namespace gcsflux::emulator {

/// One of a bucket's settings in the form of the XML API, beside that of the JSON API, in which it is kept.
struct SettingForm {
  std::string_view sub_resource;  ///< "cors", as in "GET /bucket?cors".
  std::string_view setting;       ///< "cors"
  std::string_view root;          ///< "CorsConfig"
  /// Writes what the root element contains. The setting is null if it is not set.
  void (*write)(XmlWriter& xml, const nlohmann::json& setting);
  /// What the root element says. Null unsets the setting. Values are checked when the bucket takes them.
  XmlResult<nlohmann::json> (*read)(const pugi::xml_node& root);
};

/// https://cloud.google.com/storage/docs/xml-api/reference-methods#bucket. The sub-resource must be one of the table.
const SettingForm& FindSettingForm(std::string_view sub_resource);

}  // namespace gcsflux::emulator
