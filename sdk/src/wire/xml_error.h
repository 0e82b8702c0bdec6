#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::internal {

/// An error of the XML API: https://cloud.google.com/storage/docs/xml-api/reference-status
struct XmlError {
  std::string code = {};     ///< "NoSuchUpload"
  std::string message = {};  ///< With the details, if there are any.
};

/// Nothing if `body` is not such a document.
std::optional<XmlError> ParseXmlError(std::string_view body);

}  // namespace gcsflux::internal
