// Multipart uploads that are neither completed nor aborted: listed, aborted, and cleaned up.
#include <gtest/gtest.h>

#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "gcsflux/listing.h"
#include "support/result.h"
#include "transfer/upload/live_uploads.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux {
namespace {

using std::chrono::hours;

class OngoingUploadsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(client_.InsertBucket("bkt")); }

  MultipartUpload Begin(const std::string& name) { return *MultipartUpload::Start(client_, {"bkt", name}); }
  std::vector<std::string> Names(const std::string& prefix) {
    const auto uploads = ListMultipartUploads(client_, {"bkt", prefix});
    EXPECT_TRUE(uploads.ok()) << testing::ErrorOf(uploads).message;
    std::vector<std::string> names;
    if (!uploads) return names;
    for (const OngoingUpload& upload : *uploads) names.push_back(upload.object.name);
    return names;
  }

  emulator::Emulator emulator_;
  const Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
};

TEST_F(OngoingUploadsTest, AreListedByPrefix) {
  const auto other = Begin("a");
  const auto second = Begin("p/b c&d");
  const auto first = Begin("p/%41 +");
  EXPECT_EQ(Names("p/"), (std::vector<std::string>{"p/%41 +", "p/b c&d"}));
  EXPECT_EQ(Names("").size(), 3U);
  EXPECT_TRUE(Names("q").empty());
}

// The service lists by prefix, so that "o" also finds the upload to "o2".
TEST_F(OngoingUploadsTest, RemainAtTheEndOfAnotherProcess) {
  const auto own = Begin("o");
  const auto others = Begin("o2");
  internal::LiveUploads live;
  ASSERT_TRUE(live.Add(client_, {"bkt", "o"}, /*is_temporary=*/false).ok());
  live.DropAll({});
  EXPECT_EQ(Names(""), std::vector<std::string>{"o2"});
}

TEST_F(OngoingUploadsTest, AreListedInPages) {
  std::vector<MultipartUpload> uploads;
  uploads.reserve(1003);
  for (int i = 0; i < 1003; ++i) uploads.push_back(Begin("p/" + std::to_string(i % 900)));
  EXPECT_EQ(Names("p/").size(), 1003U);
}

TEST_F(OngoingUploadsTest, AreAbortedOnceById) {
  auto upload = Begin("p/x");
  const std::string part(10, 'x');
  const auto listed = ListMultipartUploads(client_, {"bkt", "p/"});
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_TRUE(AbortMultipartUpload(client_, listed->front()).ok());
  EXPECT_TRUE(AbortMultipartUpload(client_, listed->front()).ok());
  EXPECT_TRUE(Names("").empty());
  EXPECT_EQ(testing::ErrorOf(upload.UploadPart(1, AsBytes(part))).code, ErrorCode::kSessionLost);
}

TEST_F(OngoingUploadsTest, AreAbortedByCleanIfAbandoned) {
  const auto mine = Begin("data/x");
  const auto old = Begin("gcsflux-uploads/run-1/u");
  ASSERT_TRUE(client_.InsertObject({"bkt", "gcsflux-uploads/run-1/v"}, AsBytes("left")).ok());
  emulator_.clock().Advance(hours(2));
  const auto young = Begin("gcsflux-uploads/run-2/u");
  // The emulator is two hours ahead of the client now.
  const auto report = CleanComposites(client_, "bkt", {.older_than = -hours(1)});
  ASSERT_TRUE(report.ok()) << testing::ErrorOf(report).message;
  EXPECT_EQ(report->deleted, 1U);
  EXPECT_EQ(report->uploads_found, 2U);
  EXPECT_EQ(report->uploads_aborted, 1U);
  EXPECT_EQ(Names(""), (std::vector<std::string>{"data/x", "gcsflux-uploads/run-2/u"}));
}

TEST_F(OngoingUploadsTest, AreHiddenFromListings) {
  for (const char* const name : {"a", "gcsflux-uploads/run/u", "z", "dataflux-composed-objects/run/u"}) {
    ASSERT_TRUE(client_.InsertObject({"bkt", name}, AsBytes("x")).ok());
  }
  const auto names = [&](const std::string& prefix) {
    std::vector<std::string> found;
    const auto listing = ListInParallel(client_, {"bkt", prefix});
    for (const ListedObject& object : listing->objects) found.emplace_back(object.name);
    return found;
  };
  EXPECT_EQ(names(""), (std::vector<std::string>{"a", "z"}));
  EXPECT_EQ(names("gcsflux-uploads/"), (std::vector<std::string>{"gcsflux-uploads/run/u"}));
}

TEST_F(OngoingUploadsTest, DeleteTheSourcesOfAComposeIfAsked) {
  ASSERT_TRUE(client_.InsertObject({"bkt", "part"}, AsBytes("bytes")).ok());
  ComposeObjectsOptions options{.preconditions = {.if_generation_match = 7}, .delete_source_objects = true};
  EXPECT_EQ(testing::ErrorOf(client_.ComposeObjects({{"part"}}, {"bkt", "whole"}, options)).code,
            ErrorCode::kPreconditionFailed);
  EXPECT_TRUE(client_.GetObject({"bkt", "part"}).ok());
  options.preconditions.if_generation_match = 0;
  ASSERT_TRUE(client_.ComposeObjects({{"part"}}, {"bkt", "whole"}, options).ok());
  EXPECT_EQ(testing::ErrorOf(client_.GetObject({"bkt", "part"})).code, ErrorCode::kNotFound);
  EXPECT_EQ(*client_.ReadObject({"bkt", "whole"}), "bytes");
}

}  // namespace
}  // namespace gcsflux
