// Plans over HTTP and by the program's flag.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "emulator/faults/fault_test.h"
#include "emulator/support/program.h"
#include "faults/plan/render_plan.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kPlan = R"({"seed": 3, "rules": [
  {"name": "busy", "match": {"operation": "storage.buckets.get"}, "action": {"type": "status", "status": 503}}]})";

class FaultHttpTest : public FaultTest {
 protected:
  json GetJson(const std::string& target) { return json::parse(Call("GET", target).body); }
};

TEST_F(FaultHttpTest, LoadsShowsAndClearsAPlan) {
  EXPECT_EQ(Call("PUT", "/_emulator/faults", "", kPlan).status, 200);
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket").status, 503);
  EXPECT_EQ(GetJson("/_emulator/faults"), json::parse(R"({
    "seed": 3,
    "rules": [{"name": "busy", "match": {"operation": "storage.buckets.get"},
               "action": {"type": "status", "status": 503}, "limits": {}}],
    "counters": [{"rule": "busy", "matched": 1, "fired": 1}]})"));
  EXPECT_EQ(Call("DELETE", "/_emulator/faults").status, 204);
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket").status, 200);
  EXPECT_EQ(GetJson("/_emulator/faults"), json::parse(R"({"seed": 0, "rules": [], "counters": []})"));
}

TEST_F(FaultHttpTest, AcceptsThePlanThatItShows) {
  EXPECT_EQ(Call("PUT", "/_emulator/faults", "", kPlan).status, 200);
  Call("GET", "/storage/v1/b/bucket");
  const std::string shown = Call("GET", "/_emulator/faults").body;
  EXPECT_EQ(Call("PUT", "/_emulator/faults", "", shown).status, 200);
  EXPECT_EQ(GetJson("/_emulator/faults").at("counters")[0].at("fired"), 0);
}

TEST_F(FaultHttpTest, ReplaysASchedule) {
  Call("PUT", "/_emulator/faults", "", kPlan);
  Call("GET", "/storage/v1/b/bucket");
  const std::string schedule = Call("GET", "/_emulator/faults/schedule").body;
  EXPECT_EQ(json::parse(schedule), json::parse(R"({"replay": [
    {"operation": "storage.buckets.get", "bucket": "bucket", "arrival": 1, "rule": "busy",
     "action": {"type": "status", "status": 503}}]})"));
  EXPECT_EQ(Call("PUT", "/_emulator/faults", "", schedule).status, 200);
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket").status, 503);
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket").status, 200);
  EXPECT_EQ(Call("GET", "/_emulator/faults/schedule").body, schedule);
}

TEST_F(FaultHttpTest, AcceptsALongSchedule) {
  const FiredFault fired{
      .key = {.operation = "storage.objects.get", .bucket = "bucket", .object = std::string(200, 'x'), .arrival = 1},
      .rule = "r",
      .action = {.type = "reset"}};
  const std::string schedule = RenderSchedule(std::vector<FiredFault>(20'000, fired));
  ASSERT_GT(schedule.size(), std::size_t{5} << 20);
  EXPECT_EQ(Call("PUT", "/_emulator/faults", "", schedule).status, 200);
  EXPECT_EQ(emulator().faults().Plan().replay.size(), 20'000U);
}

TEST_F(FaultHttpTest, KeepsTheOldPlanIfTheNewOneIsWrong) {
  Call("PUT", "/_emulator/faults", "", kPlan);
  const RawResponse answer =
      Call("PUT", "/_emulator/faults", "", "{\"rules\": [\n {\"action\": {\"type\": \"bang\"}}]}");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(json::parse(answer.body).at("error").at("message").get<std::string>(),
              HasSubstr("line 2, column 22: rules[0] \"rule 1\": action.type 'bang' is not one of"));
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket").status, 503);
}

TEST_F(FaultHttpTest, RefusesOtherMethods) {
  EXPECT_EQ(Call("POST", "/_emulator/faults", "", kPlan).status, 405);
  EXPECT_EQ(Call("PUT", "/_emulator/faults/schedule", "", "{}").status, 405);
  EXPECT_EQ(Call("DELETE", "/_emulator/faults/schedule").status, 405);
}

TEST_F(FaultHttpTest, ShowsFaultsInTheJournal) {
  Call("PUT", "/_emulator/faults", "", kPlan);
  Call("GET", "/storage/v1/b/bucket");
  Call("GET", "/storage/v1/b/bucket/o");
  const json requests = GetJson("/_emulator/journal").at("requests");
  EXPECT_EQ(requests[requests.size() - 2].at("faults"), json::parse(R"(["busy"])"));
  EXPECT_FALSE(requests.back().contains("faults"));
}

TEST_F(FaultHttpTest, SkipsAdminRequests) {
  Inject({.type = "status", .status = 503});
  EXPECT_EQ(Call("GET", "/_emulator/health").status, 200);
  EXPECT_EQ(Fired(), 0U);
}

// A file that exists as long as this object.
class File {
 public:
  explicit File(std::string_view text) { std::ofstream(path_) << text; }
  ~File() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const std::string path_ = ::testing::TempDir() + "plan-" + std::to_string(::getpid()) + ".json";
};

TEST(FaultsFlag, LoadsAPlan) {
  const File file(kPlan);
  Program program({"--faults=" + file.path()});
  const std::string line = program.ReadOutputLine();
  ASSERT_THAT(line, StartsWith(kReady));
  RawConnection client(line.substr(kReady.size()));
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/bucket").status, 503);
}

TEST(FaultsFlag, RefusesAWrongPlanWithFileLineAndField) {
  const File file("{\"rules\": [\n {\"action\": {\"type\": \"cut\"}}]}");
  Program program({"--faults=" + file.path()});
  EXPECT_THAT(program.ReadErrors(), HasSubstr("--faults=" + file.path() +
                                              ": fault plan: line 2, column 13: rules[0] \"rule 1\": "
                                              "action.afterBytes is needed by cut"));
  EXPECT_EQ(program.Wait(), 1);
}

TEST(FaultsFlag, RefusesAMissingFile) {
  Program program({"--faults=/nowhere/plan.json"});
  EXPECT_THAT(program.ReadErrors(), HasSubstr("--faults=/nowhere/plan.json cannot be read"));
  EXPECT_EQ(program.Wait(), 1);
}

}  // namespace
}  // namespace gcsflux::emulator
