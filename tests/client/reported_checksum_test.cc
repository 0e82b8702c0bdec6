#include "client/reported_checksum.h"

#include <gtest/gtest.h>

#include "support/result.h"

namespace gcsflux::internal {
namespace {

TEST(ReportedChecksum, RefusesASecondOneThatDiffers) {
  const ObjectName object{"b", "o"};
  ReportedChecksum told;
  EXPECT_TRUE(told.Note(object, std::nullopt).ok());
  EXPECT_EQ(told.value(), std::nullopt);
  EXPECT_TRUE(told.Note(object, 7).ok());
  EXPECT_TRUE(told.Note(object, 7).ok());
  EXPECT_TRUE(told.Note(object, std::nullopt).ok()) << "an answer may leave it out";
  const Error error = testing::ErrorOf(told.Note(object, 0));
  EXPECT_EQ(error.code, ErrorCode::kBadResponse);
  EXPECT_NE(error.message.find("gs://b/o"), std::string::npos);
  EXPECT_EQ(told.value(), 7U);
}

}  // namespace
}  // namespace gcsflux::internal
