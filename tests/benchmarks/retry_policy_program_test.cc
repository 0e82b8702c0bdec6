// The whole program at its smallest size: its output can be parsed. Speed is not checked.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace gcsflux::bench {
namespace {

class RetryPolicyProgram : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // The exit status.
  [[nodiscard]] int Run(const std::string& flags) const {
    const std::string command = std::string(GCSFLUX_RETRY_POLICY) + " --out_dir=" + directory_.string() + " " + flags +
                                " >" + (directory_ / "out").string() + " 2>" + (directory_ / "err").string();
    return WEXITSTATUS(std::system(command.c_str()));
  }

  [[nodiscard]] std::vector<std::string> Lines(const std::string& file) const {
    std::ifstream in(directory_ / file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  const std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("retry-policy-" + std::to_string(getpid()));
};

void ExpectWellFormedCsv(const std::vector<std::string>& lines, std::size_t rows) {
  ASSERT_EQ(lines.size(), rows + 1);
  for (const std::string& line : lines) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(lines[0].begin(), lines[0].end(), ',')) << line;
  }
}

constexpr const char* kSmall = "--seconds=1 --processes=2 --threads=8 --quota=50 --first_byte_ms=1 ";

TEST_F(RetryPolicyProgram, WritesATableAndTwoCsvFiles) {
  ASSERT_EQ(Run(std::string(kSmall) + "--scenarios=steady,dip,egress --policies=gate,none"), 0) << Lines("err").front();
  EXPECT_EQ(Lines("out").size(), 2 + 6U);
  const auto cells = Lines("retry_policy.csv");
  ExpectWellFormedCsv(cells, 6);
  EXPECT_TRUE(cells[1].starts_with("steady,2,8,gate,1,")) << cells[1];
  EXPECT_TRUE(cells[6].starts_with("egress,2,8,none,1,")) << cells[6];
  ExpectWellFormedCsv(Lines("retry_policy_seconds.csv"), 6);
}

TEST_F(RetryPolicyProgram, DeliversDespiteThrottling) {
  ASSERT_EQ(Run(std::string(kSmall) + "--scenarios=steady --policies=none"), 0) << Lines("err").front();
  const std::string cell = Lines("retry_policy.csv").at(1);
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= cell.size();) {
    const std::size_t end = std::min(cell.find(',', begin), cell.size());
    fields.push_back(cell.substr(begin, end - begin));
    begin = end + 1;
  }
  EXPECT_GT(std::stod(fields.at(5)), 0) << "delivered";
  EXPECT_GT(std::stod(fields.at(7)), 0) << "429s per success";
  EXPECT_EQ(fields.at(12), "0") << "failed";
}

TEST_F(RetryPolicyProgram, RefusesUnknownNamesBeforeItRuns) {
  EXPECT_EQ(Run("--scenarios=flood"), 2);
  EXPECT_NE(Lines("err").at(0).find("'flood'"), std::string::npos);
  EXPECT_EQ(Run("--policies=hope"), 2);
  EXPECT_NE(Lines("err").at(0).find("'hope'"), std::string::npos);
  EXPECT_EQ(Run("--threads=0"), 2);
}

TEST_F(RetryPolicyProgram, ExplainsItsFlags) {
  EXPECT_EQ(Run("--help"), 0);
  const auto lines = Lines("out");
  EXPECT_NE(std::find(lines.begin(), lines.end(), "  --seconds (60)"), lines.end());
}

}  // namespace
}  // namespace gcsflux::bench
