#include "client/reported_checksum.h"

#include <gtest/gtest.h>

#include "support/fake_gcs.h"
#include "support/result.h"

namespace gcsflux::internal {
namespace {

const ObjectName kRead{"b", "o"};

TEST(ReportedChecksum, RefusesADifferentSecondValue) {
  ReportedChecksum reported;
  EXPECT_TRUE(reported.Note(kRead, std::nullopt).ok());
  EXPECT_TRUE(reported.Note(kRead, 7).ok());
  EXPECT_TRUE(reported.Note(kRead, 7).ok());
  EXPECT_TRUE(reported.Note(kRead, std::nullopt).ok()) << "an answer may leave it out";
  const Error error = testing::ErrorOf(reported.Note(kRead, 0));
  EXPECT_EQ(error.code, ErrorCode::kBadResponse);
  EXPECT_NE(error.message.find("gs://b/o"), std::string::npos);
}

TEST(ReportedChecksum, ComparesBytesWithTheListingAndAnswers) {
  testing::FakeGcs gcs;
  const Client client = testing::MakeClient(gcs);
  const ReportedChecksum none;
  EXPECT_TRUE(none.CheckWhole(CoreOf(client), kRead, std::nullopt, 7).ok()) << "there is nothing to compare with";
  EXPECT_TRUE(none.CheckWhole(CoreOf(client), kRead, 7, 7).ok());
  EXPECT_EQ(testing::ErrorOf(none.CheckWhole(CoreOf(client), kRead, 8, 7)).code, ErrorCode::kCorrupted);
  ReportedChecksum reported;
  ASSERT_TRUE(reported.Note(kRead, 8).ok());
  EXPECT_EQ(testing::ErrorOf(reported.CheckWhole(CoreOf(client), kRead, std::nullopt, 7)).code, ErrorCode::kCorrupted);
  EXPECT_TRUE(reported.CheckWhole(CoreOf(client), kRead, 7, 7).ok()) << "the caller relies on the listing";
}

}  // namespace
}  // namespace gcsflux::internal
