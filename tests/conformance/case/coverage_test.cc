// Which methods of the JSON API's discovery document the cases touch, of those that the emulator serves. The table of
// docs/conformance.md is made here, by scripts/conformance_coverage.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/read_file.h"
#include "case/operation_of.h"
#include "gcsflux/emulator/emulator.h"
#include "http/curl_transport.h"
#include "read_cases/load_cases.h"

namespace gcsflux::conformance {
namespace {

constexpr std::string_view kBegin = "<!-- coverage: scripts/conformance_coverage writes this table -->\n";
constexpr std::string_view kEnd = "<!-- end of coverage -->\n";

struct Coverage {
  std::map<std::string, int> cases;  // By operation: the number of cases that touch it.
  std::vector<std::string> touched;  // Methods that the emulator serves.
  std::vector<std::string> untouched;
  int unserved = 0;
};

/// A method that the emulator does not serve is 501, whatever its bucket and object.
bool IsServed(Transport& emulator, const std::string& request) {
  const std::size_t blank = request.find(' ');
  std::string target = request.substr(blank + 1);
  for (std::size_t at = 0; (at = target.find('{')) != target.npos;) {
    target.replace(at, target.find('}') - at + 1, "none");
  }
  const auto answer = emulator.Send({.method = request.substr(0, blank), .target = target});
  return answer && answer->status != 501;
}

const Coverage& CoverageOfTheCases() {
  static const Coverage kCoverage = [] {
    Coverage coverage;
    const auto cases = LoadEmbeddedCases().value();
    for (const Case& each : cases) {
      for (const std::string& operation : OperationsOf(each)) ++coverage.cases[operation];
    }
    const emulator::Emulator emulator;
    CurlTransport transport(emulator.endpoint(), "");
    const auto discovery = nlohmann::json::parse(ReadFile(GCSFLUX_DISCOVERY_DOCUMENT).value());
    for (const auto& method : discovery.at("methods")) {
      const std::string id = method.at("id");
      const bool is_served = IsServed(transport, method.at("request"));
      if (!is_served) ++coverage.unserved;
      if (is_served) (coverage.cases.contains(id) ? coverage.touched : coverage.untouched).push_back(id);
    }
    return coverage;
  }();
  return kCoverage;
}

std::string Table(const Coverage& coverage) {
  std::string table = std::to_string(coverage.touched.size()) + " of the " +
                      std::to_string(coverage.touched.size() + coverage.untouched.size()) +
                      " methods that the emulator serves are touched by cases. It does not serve " +
                      std::to_string(coverage.unserved) + " methods of the discovery document.\n";
  for (const std::string& id : coverage.untouched) table += "Not touched: " + id + ".\n";
  table += "\n| operation | cases |\n|---|---|\n";
  for (const auto& [operation, count] : coverage.cases) {
    if (operation != "other") table += "| " + operation + " | " + std::to_string(count) + " |\n";
  }
  return table;
}

TEST(Coverage, NineTenthsOfTheServedMethodsAreTouched) {
  const Coverage& coverage = CoverageOfTheCases();
  ASSERT_GT(coverage.touched.size(), 40U);
  EXPECT_LE(10 * coverage.untouched.size(), coverage.touched.size() + coverage.untouched.size())
      << ::testing::PrintToString(coverage.untouched);
}

// A table that is older than a case has another count. That is no failure: scripts/conformance_coverage brings it up to
// date.
TEST(Coverage, HasEachOperationOnThePage) {
  std::string page = ReadFile(GCSFLUX_CONFORMANCE_PAGE).value();
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  ASSERT_TRUE(begin != page.npos && end != page.npos && begin < end);
  if (std::getenv("GCSFLUX_UPDATE_PAGE") != nullptr) {
    const std::size_t table = begin + kBegin.size();
    page.replace(table, end - table, Table(CoverageOfTheCases()));
    std::ofstream(GCSFLUX_CONFORMANCE_PAGE) << page;
  }
  for (const auto& [operation, count] : CoverageOfTheCases().cases) {
    const std::string row = "| " + operation + " | ";
    EXPECT_TRUE(operation == "other" || page.find(row) != page.npos) << row << ": run scripts/conformance_coverage";
  }
}

}  // namespace
}  // namespace gcsflux::conformance
