#include <map>

#include "report/report.h"

namespace gcsflux::conformance {
namespace {

std::string Attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + Escaped(value) + "\"";
}

std::string FieldOf(const Json& entry, const char* key) { return entry.value(key, ""); }

std::string Body(const Json& entry) {
  const std::string result = FieldOf(entry, "result");
  const std::string about = "claim: " + FieldOf(entry, "claim") + "\nsource: " + FieldOf(entry, "source");
  if (result == "failed") {
    return "    <failure" + Attribute("message", FieldOf(entry, "detail")) + ">" + Escaped(about) + "</failure>\n";
  }
  if (result == "skipped" || result == "not applicable") {
    return "    <skipped" + Attribute("message", result + ": " + FieldOf(entry, "detail")) + "/>\n";
  }
  if (result == "known failure")
    return "    <skipped" + Attribute("message", "known: " + FieldOf(entry, "known")) + "/>\n";
  std::string form;
  for (const Json& each : entry.value("form", Json::array())) form += "form: " + each.get<std::string>() + "\n";
  return form.empty() ? "" : "    <system-out>" + Escaped(form) + "</system-out>\n";
}

struct Suite {
  int tests = 0;
  int failures = 0;
  int skipped = 0;
  std::string cases;
};

}  // namespace

std::string JUnitOf(const Json& document) {
  std::map<std::string, Suite> suites;
  for (const Json& entry : document.at("cases")) {
    Suite& suite = suites[FieldOf(entry, "subject")];
    const std::string name = FieldOf(entry, "name");
    const std::string body = Body(entry);
    ++suite.tests;
    if (body.find("<failure") != body.npos) ++suite.failures;
    if (body.find("<skipped") != body.npos) ++suite.skipped;
    suite.cases += "   <testcase" + Attribute("classname", FieldOf(entry, "subject")) +
                   Attribute("name", name.substr(name.find('/') + 1)) +
                   (body.empty() ? "/>\n" : ">\n" + body + "   </testcase>\n");
  }
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gcsflux-conformance\">\n";
  for (const auto& [name, suite] : suites) {
    xml += "  <testsuite" + Attribute("name", name) + Attribute("tests", std::to_string(suite.tests)) +
           Attribute("failures", std::to_string(suite.failures)) + Attribute("skipped", std::to_string(suite.skipped)) +
           ">\n" + suite.cases + "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

}  // namespace gcsflux::conformance
