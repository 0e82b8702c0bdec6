// Faults at each step of an ObjectWriter: outcome, bytes, how often it was stored, and leftovers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"
#include "support/result.h"
#include "support/upload_case.h"
#include "support/upload_leftovers.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux {
namespace {

using emulator::FaultAction;
using emulator::FaultMatch;
using std::chrono::hours;
using std::chrono::milliseconds;

using testing::kObject;
using testing::kPart;

// A step of a write, and which requests it consists of.
struct Step {
  const char* name;
  FaultMatch match;
};

class ObjectWriterFaultsTest : public ::testing::Test {
 protected:
  Result<ObjectMetadata> Store(WriteMode mode) {
    ObjectWriter writer(client_, kObject,
                        {.mode = mode, .part_bytes = kPart, .part_memory_bytes = 4 * kPart, .max_concurrency = 3});
    if (auto written = writer.Write(AsBytes(content_)); !written) return written.error();
    return writer.Close();
  }
  std::string Stored() const {
    auto read = client_.ReadObject(kObject);
    return read ? *std::move(read) : "";
  }
  void Begin(const FaultMatch& match, const FaultAction& action, int count) {
    emulator_.Reset();
    client_ = MakeClient();  // Gates remember refusals.
    ASSERT_TRUE(client_.InsertBucket("bkt"));
    ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("old")).ok());
    emulator_.clock().Advance(hours(1));
    emulator_.faults().Load({.rules = {{.name = "it", .match = match, .action = action, .limits = {.count = count}}}});
  }

  static std::vector<Step> Steps() {
    return {{"initiate", {.phase = "initiate"}},
            {"part", {.phase = "part"}},
            {"complete", {.phase = "complete"}},
            {"compose", {.operation = "storage.objects.compose"}}};
  }

  [[nodiscard]] Client MakeClient() const {
    return *Client::Create({.endpoint = emulator_.endpoint(),
                            .project = "p",
                            .retry = RetryPolicies::All(
                                {.initial_delay = milliseconds(1), .max_delay = milliseconds(2), .max_attempts = 5})});
  }

  const std::string content_ = std::string(kPart, 'a') + std::string(kPart, 'b') + "c";
  emulator::Emulator emulator_{{.idempotency_window = std::chrono::seconds(0)}};
  Client client_ = MakeClient();
};

TEST_F(ObjectWriterFaultsTest, SurvivesOneFaultAtAnyStep) {
  const std::vector<FaultAction> faults = {
      {.type = "status", .status = 503}, {.type = "status", .status = 429}, {.type = "reset"}, {.type = "loseAnswer"}};
  for (const Step& step : Steps()) {
    for (const FaultAction& action : faults) {
      SCOPED_TRACE(std::string(step.name) + " " + action.type + " " + std::to_string(action.status.value_or(0)));
      Begin(step.match, action, 1);
      const auto stored = Store(WriteMode::kOverwrite);
      EXPECT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
      EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
      EXPECT_TRUE(Stored() == content_);
      EXPECT_EQ(emulator::FindCommits(emulator_.journal(), "bkt", "o").size(), 2U);  // "old", and this one
      const auto objects = ListPrefix(client_, {"bkt", "gcsflux-uploads/"});
      EXPECT_TRUE(objects->objects.empty());
      // An upload whose start was not acknowledged remains, without parts, for `gcsflux clean`.
      const bool may_stay = std::string_view(step.name) == "initiate" && action.type == "loseAnswer";
      EXPECT_EQ(ListMultipartUploads(client_, {"bkt", ""})->size(), may_stay ? 1U : 0U);
    }
  }
}

TEST_F(ObjectWriterFaultsTest, KeepsTheOldContentIfAStepFails) {
  const std::vector<FaultAction> faults = {{.type = "status", .status = 503}, {.type = "status", .status = 400}};
  for (const Step& step : Steps()) {
    for (const FaultAction& action : faults) {
      SCOPED_TRACE(std::string(step.name) + " " + std::to_string(*action.status));
      Begin(step.match, action, 1000);
      EXPECT_FALSE(Store(WriteMode::kOverwrite).ok());
      EXPECT_GE(emulator_.faults().Fired("it"), 1U);
      EXPECT_EQ(Stored(), "old");
      testing::ExpectNothingLeft(client_);
    }
  }
}

TEST_F(ObjectWriterFaultsTest, RetriesAComposeWithoutDeletePermission) {
  Begin({.operation = "storage.objects.compose"}, {.type = "status", .status = 403}, 1);
  ASSERT_TRUE(Store(WriteMode::kOverwrite).ok());
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  EXPECT_TRUE(Stored() == content_);
  testing::ExpectNothingLeft(client_);
}

// The compose is done, its answer is lost, and the read-back is refused.
TEST_F(ObjectWriterFaultsTest, DoesNotRetryAnUncertainCompose) {
  Begin({.operation = "storage.objects.compose"}, {.type = "loseAnswer"}, 1);
  emulator_.faults().Add({.name = "look",
                          .match = {.operation = "storage.objects.get", .object_glob = kObject.name},
                          .action = {.type = "status", .status = 403},
                          .limits = {.count = 1}});
  const Error error = testing::ErrorOf(Store(WriteMode::kOverwrite));
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  EXPECT_EQ(emulator_.faults().Fired("look"), 1U);
  EXPECT_EQ(error.code, ErrorCode::kPermissionDenied) << error.message;
  EXPECT_EQ(error.outcome, WriteOutcome::kUnknown) << error.message;
  const auto records = emulator_.journal();
  const auto is_compose = [](const auto& record) { return record.operation == "storage.objects.compose"; };
  EXPECT_EQ(std::ranges::count_if(records, is_compose), 1);
  EXPECT_TRUE(Stored() == content_);
}

// Joining the parts makes the temporary object only; under a private name it makes the object itself.
TEST_F(ObjectWriterFaultsTest, ReportsTheOutcomeOfTheFinalObject) {
  for (const bool is_private_name : {false, true}) {
    Begin({.phase = "complete"}, {.type = "status", .status = 503}, 1000);
    ObjectWriter writer(client_, kObject, {.part_bytes = kPart, .is_private_name = is_private_name});
    ASSERT_TRUE(writer.Write(AsBytes(content_)).ok());
    EXPECT_EQ(testing::ErrorOf(writer.Close()).outcome,
              is_private_name ? WriteOutcome::kUnknown : WriteOutcome::kNotStored);
    EXPECT_GE(emulator_.faults().Fired("it"), 1U);
  }
}

// The parts are joined, the answer is lost, and the read-back of the temporary object is refused.
TEST_F(ObjectWriterFaultsTest, LeavesNoTemporaryObjectAfterAnUncertainJoin) {
  Begin({.phase = "complete"}, {.type = "loseAnswer"}, 1);
  emulator_.faults().Add({.name = "look",
                          .match = {.operation = "storage.objects.get", .object_prefix = "gcsflux-uploads/"},
                          .action = {.type = "status", .status = 403},
                          .limits = {.count = 1}});
  const Error error = testing::ErrorOf(Store(WriteMode::kOverwrite));
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  EXPECT_EQ(emulator_.faults().Fired("look"), 1U);
  EXPECT_EQ(error.outcome, WriteOutcome::kNotStored) << error.message;
  EXPECT_EQ(Stored(), "old");
  testing::ExpectNothingLeft(client_);
}

TEST_F(ObjectWriterFaultsTest, ReportsAnUnconfirmedObject) {
  struct Case {
    FaultAction complete;
    WriteOutcome outcome;
  };
  for (const Case& one : {Case{{.type = "stall", .duration = milliseconds(1)}, WriteOutcome::kStored},
                          Case{{.type = "loseAnswer"}, WriteOutcome::kUnknown},
                          Case{{.type = "status", .status = 403}, WriteOutcome::kNotStored}}) {
    Begin({.phase = "complete"}, one.complete, 1);
    emulator_.faults().Add({.name = "look",
                            .match = {.operation = "storage.objects.get", .object_glob = kObject.name},
                            .action = {.type = "status", .status = 403},
                            .limits = {.count = 1}});
    auto upload = MultipartUpload::Start(client_, kObject);
    ASSERT_TRUE(upload.ok());
    ASSERT_TRUE(upload->UploadPart(1, AsBytes("bytes")).ok());
    const Error error = testing::ErrorOf(upload->Complete());
    EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
    EXPECT_EQ(error.outcome, one.outcome) << error.message;
    emulator_.faults().Clear();
    EXPECT_EQ(Stored(), one.outcome == WriteOutcome::kNotStored ? "old" : "bytes");
  }
}

TEST_F(ObjectWriterFaultsTest, ReportsALostAndReplacedComposeAsUnknown) {
  class Rival : public EventListener {
   public:
    void OnEvent(const Event& event) override {
      if (event.kind == EventKind::kRetry && act) std::exchange(act, nullptr)();
    }
    std::function<void()> act = {};
  };
  Begin({.operation = "storage.objects.compose"}, {.type = "loseAnswer"}, 1);
  const auto rival = std::make_shared<Rival>();
  rival->act = [this] { ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("rival")).ok()); };
  const auto client = Client::Create({.endpoint = emulator_.endpoint(),
                                      .project = "p",
                                      .retry = RetryPolicies::All({.initial_delay = milliseconds(1)}),
                                      .event_listener = rival});
  ObjectWriter writer(*client, kObject, {.part_bytes = kPart});
  ASSERT_TRUE(writer.Write(AsBytes(content_)).ok());
  EXPECT_EQ(testing::ErrorOf(writer.Close()).code, ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  EXPECT_EQ(Stored(), "rival");
  testing::ExpectNothingLeft(client_);
}

TEST_F(ObjectWriterFaultsTest, UsesOneStreamIfPermissionsAreUnknown) {
  Begin({.operation = "storage.buckets.testIamPermissions"}, {.type = "status", .status = 403}, 1000);
  ObjectWriter writer(client_, kObject, {.part_bytes = kPart});
  ASSERT_TRUE(writer.Write(AsBytes(content_)).ok());
  ASSERT_TRUE(writer.Close().ok());
  EXPECT_EQ(writer.report().path, WritePath::kOneStream);
  EXPECT_THAT(writer.report().reason, ::testing::HasSubstr("permissions cannot be asked for"));
  EXPECT_GE(emulator_.faults().Fired("it"), 1U);
  EXPECT_TRUE(Stored() == content_);
}

}  // namespace
}  // namespace gcsflux
