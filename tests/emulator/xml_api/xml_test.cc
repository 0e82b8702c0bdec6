#include "emulator/xml_api/xml_test.h"

#include <pugixml.hpp>

namespace gcsflux::emulator {

std::vector<std::string> XmlTexts(const std::string& xml, const char* xpath) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_string(xml.c_str());
  EXPECT_TRUE(parsed) << parsed.description() << ": " << xml;
  std::vector<std::string> texts;
  for (const pugi::xpath_node& node : document.select_nodes(xpath)) texts.emplace_back(node.node().text().get());
  return texts;
}

std::string XmlText(const std::string& xml, const char* xpath) {
  const std::vector<std::string> texts = XmlTexts(xml, xpath);
  return texts.empty() ? std::string() : texts.front();
}

std::string XmlTest::OutcomeOf(const RawResponse& response) {
  std::string outcome = std::to_string(response.status);
  if (response.status < 400 || response.body.empty()) return outcome;
  EXPECT_EQ(response.Header("content-type"), "application/xml; charset=UTF-8");
  return outcome + " " + XmlText(response.body, "/Error/Code");
}

std::string XmlTest::Outcome(std::string_view method, std::string_view target, std::string_view headers,
                             std::string_view body) {
  return OutcomeOf(Call(method, target, headers, body));
}

}  // namespace gcsflux::emulator
