#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::internal {

/// What the XML API says when it refuses: https://cloud.google.com/storage/docs/xml-api/reference-status
struct XmlError {
  std::string code = {};     ///< "NoSuchUpload"
  std::string message = {};  ///< With the details, where there are any.
};

/// Nothing where `body` is no such document.
std::optional<XmlError> ParseXmlError(std::string_view body);

}  // namespace gcsflux::internal
