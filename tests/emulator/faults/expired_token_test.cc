#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

using ::testing::HasSubstr;

class ExpiredTokenFault : public FaultTest {};

TEST_F(ExpiredTokenFault, ChallengesTheClient) {
  Inject({.type = "expiredToken"}, {}, {.count = 1});
  const RawResponse answer = Insert("object", "content");
  EXPECT_EQ(answer.status, 401);
  EXPECT_THAT(answer.Header("www-authenticate"), HasSubstr("Bearer realm="));
  EXPECT_THAT(answer.Header("www-authenticate"), HasSubstr("invalid_token"));
  EXPECT_EQ(nlohmann::json::parse(answer.body).at("error").at("errors")[0].at("reason"), "authError");
  EXPECT_EQ(Insert("object", "content").status, 200);
  EXPECT_EQ(Fired(), 1U);
}

TEST_F(ExpiredTokenFault, AnswersInXmlToTheXmlApi) {
  Inject({.type = "expiredToken"});
  const RawResponse answer = Call("GET", "/bucket/object");
  EXPECT_EQ(answer.status, 401);
  EXPECT_THAT(answer.body, HasSubstr("<Code>AuthenticationRequired</Code>"));
}

}  // namespace
}  // namespace gcsflux::emulator
