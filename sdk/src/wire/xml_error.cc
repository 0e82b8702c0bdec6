#include "wire/xml_error.h"

#include <pugixml.hpp>

#include "base/text/zero_byte.h"

namespace gcsflux::internal {

std::optional<XmlError> ParseXmlError(std::string_view body) {
  constexpr std::size_t kMostBytes = 1U << 20;  // A document takes up to twenty times its text.
  pugi::xml_document document;
  if (body.size() > kMostBytes || HasZeroByte(body)) return std::nullopt;
  if (!document.load_buffer(body.data(), body.size())) return std::nullopt;
  const pugi::xml_node root = document.child("Error");
  if (!root || !root.child("Code")) return std::nullopt;
  XmlError error{root.child_value("Code"), root.child_value("Message")};
  if (const std::string details = root.child_value("Details"); !details.empty()) error.message += " (" + details + ")";
  return error;
}

}  // namespace gcsflux::internal
