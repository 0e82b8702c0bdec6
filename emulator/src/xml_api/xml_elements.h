#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "http/xml_error.h"

namespace gcsflux::emulator {

// How the XML bodies of requests are read.

/// An element's name without its prefix: clients may write their namespace as one.
std::string_view LocalName(const pugi::xml_node& node);

/// The text of the only child of that name, without blanks around it, or nothing.
std::optional<std::string> OnlyChild(const pugi::xml_node& parent, std::string_view name);

/// Calls `visit(name, node)` on the elements within `parent`.
template <class Visit>
void ForEachElement(const pugi::xml_node& parent, const Visit& visit) {
  for (const pugi::xml_node& child : parent.children()) {
    if (child.type() == pugi::node_element) visit(LocalName(child), child);
  }
}

/// An element's text, without blanks around it.
std::string TextOf(const pugi::xml_node& node);

/// The root element, which the document keeps. kMalformedXml if it is another one than `name`, where that is not empty.
XmlResult<pugi::xml_node> ParseRoot(pugi::xml_document& document, std::string_view xml, const std::string& name,
                                    unsigned options = pugi::parse_default);

}  // namespace gcsflux::emulator
