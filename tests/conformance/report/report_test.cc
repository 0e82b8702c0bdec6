#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/xpath.h"
#include "case/excerpt.h"

namespace gcsflux::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<Check> kChecks = {
    {.name = "names/Passes", .claim = "c1", .source = "s1", .operations = {"storage.objects.get"}},
    {.name = "names/Fails", .claim = "c2 <&>", .source = "s2", .operations = {"storage.objects.get"}},
    {.name = "xml/Differs", .claim = "c3", .source = "s3", .operations = {"xml.objects.get"}},
    {.name = "xml/Skipped", .claim = "c4", .source = "s4", .operations = {"xml.objects.get"}}};

Json Document() {
  Outcome failed{.kind = Outcome::Kind::kFailed, .detail = "step 1: s3cret", .expected = {{"status", 200}}};
  failed.exchanges.push_back(
      {.request = {.method = "GET",
                   .target = "/b/o?X-Goog-Signature=5ec2e7&upload_id=5ec2e7",
                   .headers = {{"authorization", "Bearer 5ec2e7"}, {"x-goog-encryption-key", "5ec2e7"}},
                   .body = "s3cret"},
       .response = {.status = 500,
                    .headers = {{"Location", "http://h/?upload_id=5ec2e7"}, {"X", "\xff"}},
                    .body = R"({"secret": "5ec2e7", "about": "<script>"})"}});
  const SuiteResult result{.outcomes = {{},
                                        failed,
                                        {.form = {"step 2: status"}},
                                        {.kind = Outcome::Kind::kSkipped, .detail = "d", .not_applicable = "/need"}}};
  return ReportDocument(kChecks, result,
                        {.version = "1", .endpoint = "e", .capabilities = {{"/need", false}}, .redact = [](auto text) {
                           return Redact(std::move(text), "s3cret");
                         }});
}

TEST(ReportDocument, CountsEachResult) {
  const Json document = Document();
  EXPECT_EQ(document["counts"],
            Json::parse(R"({"passed": 1, "failed": 1, "passed with form differences": 1, "not applicable": 1})"));
  EXPECT_EQ(document["cases"][1]["exchanges"][0]["came"]["status"], 500);
  EXPECT_EQ(document["cases"][1]["expected"]["status"], 200);
  EXPECT_EQ(document["cases"][3]["capability"], "/need");
}

TEST(Reports, HoldNoSecret) {
  const Json document = Document();
  for (const std::string& text : {document.dump(), JUnitOf(document), HtmlOf(document)}) {
    EXPECT_THAT(text, Not(HasSubstr("5ec2e7")));
    EXPECT_THAT(text, Not(HasSubstr("s3cret")));
  }
}

TEST(JUnitOf, IsXmlWithASuiteForEachSubject) {
  const std::string xml = JUnitOf(Document());
  EXPECT_EQ(*Select(xml, "/testsuites/testsuite/@name"), (std::vector<std::string>{"names", "xml"}));
  EXPECT_EQ(*Select(xml, "string(//testcase[@name='Fails']/failure)"),
            (std::vector<std::string>{"claim: c2 <&>\nsource: s2"}));
  EXPECT_EQ(*Select(xml, "string(//testsuite[@name='xml']/@skipped)"), (std::vector<std::string>{"1"}));
}

TEST(HtmlOf, ShowsClaimSourceSentCameAndExpected) {
  const std::string html = HtmlOf(Document());
  for (const char* text : {"c2 &lt;&amp;&gt;", "s2", "GET /b/o?", "500\n", "&quot;status&quot;: 200", "step 2: status",
                           "<th>storage.objects.get</th>", "<td class=\"bad\">1/2</td>", "no /need"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
}

}  // namespace
}  // namespace gcsflux::conformance
