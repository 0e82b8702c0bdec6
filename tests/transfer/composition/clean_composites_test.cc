#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"
#include "support/fails_with.h"
#include "support/load_fault.h"

namespace gcsflux {
namespace {

using namespace std::chrono_literals;

class CleanCompositesTest : public ::testing::Test {
 protected:
  CleanCompositesTest() {
    EXPECT_TRUE(client_.InsertBucket("bkt").ok());
    EXPECT_TRUE(client_.InsertObject({"bkt", "a"}, AsBytes("0123456789")).ok());
  }

  void Compose(const std::string& name) {
    ASSERT_TRUE(client_.ComposeObjects({{.name = "a"}, {.name = "a"}}, {"bkt", name}).ok());
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    const auto listing = ListPrefix(client_, {"bkt", ""});
    for (const ObjectMetadata& object : listing->objects) names.push_back(object.name);
    return names;
  }

  emulator::Emulator emulator_;
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
};

TEST_F(CleanCompositesTest, DeletesOldCompositesAndKeepsYoungOnes) {
  Compose("dataflux-composed-objects/run-1/old");
  Compose("dataflux-composed-objects/run-1/older");
  emulator_.clock().Advance(2h);
  Compose("dataflux-composed-objects/run-2/young");
  // The emulator is two hours ahead of the client now.
  const auto planned = CleanComposites(client_, "bkt", {.older_than = -1h, .is_dry_run = true});
  ASSERT_TRUE(planned.ok()) << planned.error().message;
  EXPECT_EQ(planned->deleted, 2U);
  EXPECT_EQ(Names().size(), 4U);
  const auto report = CleanComposites(client_, "bkt", {.older_than = -1h});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->found, 3U);
  EXPECT_EQ(report->deleted, 2U);
  EXPECT_EQ(report->deleted_bytes, 40U);
  EXPECT_EQ(report->kept, 1U);
  EXPECT_EQ(Names(), (std::vector<std::string>{"a", "dataflux-composed-objects/run-2/young"}));
}

TEST_F(CleanCompositesTest, KeepsCompositesOfTheLastHourByDefault) {
  Compose("dataflux-composed-objects/run/composite");
  const auto report = CleanComposites(client_, "bkt");
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->kept, 1U);
  EXPECT_EQ(report->deleted, 0U);
}

TEST_F(CleanCompositesTest, KeepsOtherObjects) {
  ASSERT_TRUE(client_.InsertObject({"bkt", "dataflux-composed-objects/notes"}, AsBytes("mine")).ok());
  Compose("composed/elsewhere");
  const auto report = CleanComposites(client_, "bkt", {.older_than = -1h});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->found, 0U);
  EXPECT_EQ(Names(), (std::vector<std::string>{"a", "composed/elsewhere", "dataflux-composed-objects/notes"}));
}

TEST_F(CleanCompositesTest, CountsCompositesDeletedByOthers) {
  Compose("dataflux-composed-objects/run/composite");
  testing::LoadFault(emulator_, "gone", {.operation = "storage.objects.delete"}, {.type = "status", .status = 404});
  const auto report = CleanComposites(client_, "bkt", {.older_than = -1h});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->deleted, 1U);
  EXPECT_EQ(emulator_.faults().Fired("gone"), 1U);
}

TEST_F(CleanCompositesTest, ReportsProgress) {
  Compose("dataflux-composed-objects/run/composite");
  std::vector<Progress> told;
  const auto tell = [&told](const Progress& progress) { told.push_back(progress); };
  ASSERT_TRUE(CleanComposites(client_, "bkt", {.older_than = -1h, .on_progress = tell}).ok());
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told.front().bytes, 20U);
  EXPECT_EQ(told.front().total, 20U);
}

TEST_F(CleanCompositesTest, FailsIfTheCallbackThrows) {
  Compose("dataflux-composed-objects/run/composite");
  const auto report = CleanComposites(
      client_, "bkt", {.older_than = -1h, .on_progress = [](const Progress&) { throw std::runtime_error("enough"); }});
  ASSERT_TRUE(testing::FailsWith(report, ErrorCode::kLocalIo));
  EXPECT_NE(report.error().message.find("enough"), std::string::npos) << report.error().message;
}

TEST_F(CleanCompositesTest, ReturnsTheErrorOfADelete) {
  Compose("dataflux-composed-objects/run/composite");
  testing::LoadFault(emulator_, "refused", {.operation = "storage.objects.delete"}, {.type = "status", .status = 403});
  EXPECT_TRUE(testing::FailsWith(CleanComposites(client_, "bkt", {.older_than = -1h}), ErrorCode::kPermissionDenied));
  EXPECT_EQ(emulator_.faults().Fired("refused"), 1U);
}

TEST_F(CleanCompositesTest, ReportsAMissingBucket) {
  EXPECT_TRUE(testing::FailsWith(CleanComposites(client_, "other"), ErrorCode::kNotFound));
}

}  // namespace
}  // namespace gcsflux
