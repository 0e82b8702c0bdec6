#include "auth/access_token.h"

#include <gtest/gtest.h>

namespace gcsflux::internal {
namespace {

using std::chrono::seconds;

constexpr AccessToken::Time kStart = std::chrono::sys_days(std::chrono::November / 20 / 2026);

TokenState After(seconds passed, seconds life) {
  return StateAt({.text = "t", .obtained = kStart, .expires = kStart + life}, kStart + passed);
}

TEST(TokenState, IsAgingBeforeItExpires) {
  constexpr seconds kHour(3600);
  EXPECT_EQ(After(seconds(0), kHour), TokenState::kFresh);
  EXPECT_EQ(After(seconds(3374), kHour), TokenState::kFresh);
  EXPECT_EQ(After(seconds(3375), kHour), TokenState::kAgeing) << "not before the metadata server has another";
  EXPECT_EQ(After(seconds(3589), kHour), TokenState::kAgeing);
  EXPECT_EQ(After(seconds(3590), kHour), TokenState::kExpired) << "it could end on its way";
  EXPECT_EQ(After(seconds(9999), kHour), TokenState::kExpired);
}

TEST(TokenState, IsFreshForMostOfAShortLifetime) {
  EXPECT_EQ(After(seconds(0), seconds(4)), TokenState::kFresh);
  EXPECT_EQ(After(seconds(2), seconds(4)), TokenState::kFresh);
  EXPECT_EQ(After(seconds(3), seconds(4)), TokenState::kAgeing);
  EXPECT_EQ(After(seconds(4), seconds(4)), TokenState::kExpired);
}

TEST(TokenState, NeverExpiresWithoutAnExpiryTime) {
  EXPECT_EQ(StateAt({.text = "t"}, kStart + std::chrono::years(50)), TokenState::kFresh);
}

TEST(IsTokenText, RefusesTextThatAHeaderCannotHold) {
  EXPECT_TRUE(IsTokenText("ya29.a-b_c~d+e/f="));
  for (const char* text : {"", " ", "a b", "a\r\nX: y", "a\n", "\x7F", "\xC3\xA9"}) EXPECT_FALSE(IsTokenText(text));
}

}  // namespace
}  // namespace gcsflux::internal
