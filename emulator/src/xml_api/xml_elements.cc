#include "xml_api/xml_elements.h"

#include <algorithm>

namespace gcsflux::emulator {
namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

}  // namespace

std::string_view LocalName(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::optional<std::string> OnlyChild(const pugi::xml_node& parent, std::string_view name) {
  std::optional<std::string> text;
  for (const pugi::xml_node& child : parent.children()) {
    if (child.type() != pugi::node_element || LocalName(child) != name) continue;
    if (text) return std::nullopt;
    text = Trim(child.text().get());
  }
  return text;
}

std::string TextOf(const pugi::xml_node& node) { return std::string(Trim(node.text().get())); }

XmlResult<pugi::xml_node> ParseRoot(pugi::xml_document& document, std::string_view xml, const std::string& name,
                                    unsigned options) {
  // pugixml takes a zero byte for the end of the text, and ignores what follows.
  if (xml.find('\0') != std::string_view::npos) return XmlFail(XmlErrorCode::kMalformedXml, "It holds a zero byte.");
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size(), options, pugi::encoding_utf8);
  if (!parsed) return XmlFail(XmlErrorCode::kMalformedXml, parsed.description());
  const pugi::xml_node root = document.document_element();
  if (!name.empty() && LocalName(root) != name) return XmlFail(XmlErrorCode::kMalformedXml, "Expected " + name + ".");
  return root;
}

}  // namespace gcsflux::emulator
