#include "base/xpath.h"

#include <pugixml.hpp>

namespace gcsflux::conformance {
namespace {

/// A key may consist of spaces only, so such texts are kept.
constexpr unsigned kParseOptions = pugi::parse_default | pugi::parse_ws_pcdata_single;

std::string TextOf(const pugi::xpath_node& node) {
  static const pugi::xpath_query string_value("string(.)");
  return string_value.evaluate_string(node);
}

}  // namespace

std::optional<std::string> FindMalformedXPath(const std::string& expression) {
  try {
    static_cast<void>(pugi::xpath_query(expression.c_str()));
  } catch (const pugi::xpath_exception& error) {
    return expression + " is not an XPath expression: " + error.what();
  }
  return std::nullopt;
}

OrError<std::vector<std::string>> Select(const std::string& xml, const std::string& expression) {
  // pugixml takes a zero byte for the end of the text, and ignores what follows.
  if (xml.find('\0') != std::string::npos) return Failed("the body is not XML: it holds a zero byte");
  pugi::xml_document document;
  const auto parsed = document.load_buffer(xml.data(), xml.size(), kParseOptions, pugi::encoding_utf8);
  if (!parsed) return Failed(std::string("the body is not XML: ") + parsed.description());
  const pugi::xpath_query query(expression.c_str());
  if (query.return_type() != pugi::xpath_type_node_set)
    return std::vector{std::string(query.evaluate_string(document))};
  pugi::xpath_node_set nodes = query.evaluate_node_set(document);
  nodes.sort();
  std::vector<std::string> texts;
  for (const pugi::xpath_node& node : nodes) texts.push_back(TextOf(node));
  return texts;
}

}  // namespace gcsflux::conformance
