// `gcsflux doctor`: what it finds in a bucket, and that it leaves nothing there.
#include <gmock/gmock.h>

#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_fixture.h"
#include "emulator/support/raw_connection.h"

namespace gcsflux::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class DoctorTest : public CommandTest {
 protected:
  // By check: the worst outcome, if it is not ok.
  std::map<std::string, std::string> Findings(const std::string& uri, int status = 0) {
    const Outcome outcome = Run({"doctor", "--json", uri});
    EXPECT_EQ(outcome.status, status) << outcome.err;
    std::map<std::string, std::string> findings;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      const auto json = nlohmann::json::parse(line);
      if (json["outcome"] != "ok") findings[json["check"]] = json["outcome"];
      EXPECT_EQ(json["outcome"] == "warning" || json["outcome"] == "failed", json.contains("remedy")) << line;
    }
    return findings;
  }

  void Patch(const std::string& json) {
    emulator::RawConnection connection(emulator_.endpoint());
    ASSERT_EQ(connection.Call("PATCH", "/storage/v1/b/bkt", "", json).status, 200);
  }
  void LoadAlways(const std::string& operation, const emulator::FaultAction& action) {
    emulator_.faults().Load({.rules = {{.name = "fault", .match = {.operation = operation}, .action = action}}});
  }
};

TEST_F(DoctorTest, FindsNothingWrongWithARegionalBucket) {
  ASSERT_EQ(Run({"mb", "-l", "EUROPE-WEST4", "gs://regional"}).status, 0);
  EXPECT_THAT(Findings("gs://regional/runs"), IsEmpty());
  EXPECT_EQ(Run({"ls", "-ar", "gs://regional"}).out, "");
  EXPECT_EQ(Requests("storage.objects.compose"), 2U) << "its own, and that of the upload in parts";
}

TEST_F(DoctorTest, PrintsWhatToChange) {
  const Outcome outcome = Run({"doctor", "gs://bkt"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("warning  location          US is a multi-region"),
                                 HasSubstr("-> for training, make a bucket in the region of the machines")));
  EXPECT_THAT(outcome.err, HasSubstr("1 warning"));
}

TEST_F(DoctorTest, WarnsOfSettingsThatCost) {
  Patch(R"({"versioning": {"enabled": true}, "storageClass": "NEARLINE",
            "softDeletePolicy": {"retentionDurationSeconds": "604800"}})");
  EXPECT_THAT(Findings("gs://bkt"), ElementsAre(Pair("location", "warning"), Pair("soft delete", "warning"),
                                                Pair("storage class", "warning"), Pair("versioning", "warning")));
}

TEST_F(DoctorTest, WritesNothingWhereItCouldNotDeleteIt) {
  Patch(R"({"retentionPolicy": {"retentionPeriod": "3600"}})");
  EXPECT_THAT(Findings("gs://bkt"),
              ElementsAre(Pair("location", "warning"), Pair("objects", "skipped"), Pair("retention", "warning")));
  EXPECT_THAT(Objects(), IsEmpty());
}

TEST_F(DoctorTest, WritesNothingIfItMayNot) {
  EXPECT_EQ(Run({"doctor", "--read_only", "gs://bkt"}).status, 0);
  EXPECT_EQ(Requests("storage.objects.insert"), 0U);
  LoadAlways("storage.objects.insert", {.type = "status", .status = 403});
  EXPECT_THAT(Findings("gs://bkt", 1), ElementsAre(Pair("location", "warning"), Pair("write", "failed")));
  EXPECT_GE(emulator_.faults().Fired("fault"), 1U);
}

TEST_F(DoctorTest, NamesTheTasksWhosePermissionsAreMissing) {
  LoadAlways("storage.buckets.testIamPermissions",
             {.type = "status",
              .status = 200,
              .body = R"({"permissions": ["storage.objects.get", "storage.objects.list"]})",
              .content_type = "application/json"});
  const Outcome outcome = Run({"doctor", "gs://bkt"});
  EXPECT_GE(emulator_.faults().Fired("fault"), 1U);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("may read a data set"),
                                 HasSubstr("may not save checkpoints: storage.objects.create, storage.objects.delete "
                                           "is missing"),
                                 HasSubstr("-> grant roles/storage.objectUser on the bucket")));
}

TEST_F(DoctorTest, ContinuesIfPermissionsCannotBeAsked) {
  LoadAlways("storage.buckets.testIamPermissions", {.type = "status", .status = 403});
  EXPECT_THAT(Findings("gs://bkt", 1),
              ElementsAre(Pair("location", "warning"), Pair("parts", "warning"), Pair("permissions", "failed")));
  EXPECT_GE(emulator_.faults().Fired("fault"), 1U);
}

TEST_F(DoctorTest, LeavesNothingBehindAfterAFailure) {
  Store("own", "1");
  for (const char* operation : {"storage.objects.compose", "storage.objects.move", "storage.objects.list"}) {
    SCOPED_TRACE(operation);
    Load({.operation = operation}, {.type = "status", .status = 403});
    static_cast<void>(Run({"doctor", "gs://bkt/runs/"}));
    EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
    EXPECT_THAT(Objects(), ElementsAre("own"));
  }
}

TEST_F(DoctorTest, LeavesNothingBehindAfterAnInterruption) {
  emulator_.clock().Freeze();
  Load({.operation = "storage.objects.move"}, {.type = "stall", .duration = std::chrono::hours(1)});
  EXPECT_EQ(Interrupt({"doctor", "gs://bkt"}, SIGTERM).status, 128 + SIGTERM);
  EXPECT_THAT(Objects(), IsEmpty());
}

TEST_F(DoctorTest, ComparesTheClocks) {
  emulator_.clock().Advance(std::chrono::hours(1));
  const Outcome outcome = Run({"doctor", "gs://bkt"});
  EXPECT_THAT(outcome.out, HasSubstr("behind the service's: tokens and signed URLs may be refused"));
}

TEST_F(DoctorTest, CountsRefusalsOfABurst) {
  Load({.operation = "storage.objects.get", .nth = 40}, {.type = "status", .status = 429});  // In the burst.
  const auto findings = Findings("gs://bkt");
  EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
  EXPECT_THAT(findings, UnorderedElementsAre(Pair("location", "warning"), Pair("throttling", "warning")));
}

}  // namespace
}  // namespace gcsflux::cli
