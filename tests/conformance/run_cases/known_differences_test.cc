#include "run_cases/known_differences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace gcsflux::conformance {
namespace {

using ::testing::HasSubstr;

std::string FileWith(const std::string& text) {
  const std::string path = std::filesystem::path(testing::TempDir()) /
                           (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".json");
  std::ofstream(path) << text;
  return path;
}

TEST(LoadProfile, KnowsTheBuiltInOnes) {
  for (const char* name : {"gcs", "emulator", "testbench", ""}) EXPECT_TRUE(LoadProfile(name)) << name;
  EXPECT_TRUE(LoadProfile("emulator")->empty());
  EXPECT_THAT(LoadProfile("minio").error(), HasSubstr("there are emulator, gcs, testbench"));
}

TEST(LoadProfile, ReadsEachKind) {
  const auto known = LoadProfile(FileWith(R"({"about": "x",
      "failures": [{"cases": "a/*", "reason": "1"}], "form": [{"cases": "b/*", "reason": "2"}],
      "cannot": [{"operations": "xml.*", "reason": "3"}]})"));
  ASSERT_TRUE(known) << known.error();
  EXPECT_EQ(Find(*known, KnownDifference::Kind::kFailure, "a/B")->reason, "1");
  EXPECT_EQ(Find(*known, KnownDifference::Kind::kForm, "a/B"), nullptr);
  EXPECT_EQ(Find(*known, KnownDifference::Kind::kCannot, "xml.objects.get")->reason, "3");
}

TEST(LoadProfile, NamesWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "it is not a JSON object"},
      {R"({"failure": []})", "failure: is not a field"},
      {R"({"failures": [{"cases": "a"}]})", "failures[0].reason: must be there"},
      {R"({"failures": {}})", "failures: must be a list"},
  };
  for (const auto& [text, why] : cases) {
    const auto known = LoadProfile(FileWith(text));
    ASSERT_FALSE(known) << text;
    EXPECT_THAT(known.error(), HasSubstr(why));
  }
}

TEST(LoadBaseline, KnowsWhatFailedAndDiffered) {
  const auto known = LoadBaseline(FileWith(R"({"cases": [{"name": "1/x[return-503]", "result": "failed"},
      {"name": "a/B", "result": "passed"}, {"name": "a/C", "result": "passed with form differences", "form": ["f"]}]})"));
  ASSERT_TRUE(known) << known.error();
  EXPECT_NE(Find(*known, KnownDifference::Kind::kFailure, "1/x[return-503]"), nullptr);
  EXPECT_EQ(Find(*known, KnownDifference::Kind::kFailure, "a/B"), nullptr);
  EXPECT_NE(Find(*known, KnownDifference::Kind::kForm, "a/C"), nullptr);
  EXPECT_THAT(LoadBaseline(FileWith("{}")).error(), HasSubstr("it is no report"));
}

}  // namespace
}  // namespace gcsflux::conformance
