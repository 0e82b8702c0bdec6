#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class HtmlErrorFault : public FaultTest {};

TEST_F(HtmlErrorFault, AnswersWithHtml) {
  Inject({.type = "htmlError"});
  const RawResponse answer = Insert("object", "content");
  EXPECT_EQ(answer.status, 502);
  EXPECT_EQ(answer.Header("content-type"), "text/html; charset=UTF-8");
  EXPECT_THAT(answer.body, StartsWith("<html>"));
  EXPECT_THAT(answer.body, HasSubstr("<title>502"));
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Stored("object"), std::nullopt);
}

TEST_F(HtmlErrorFault, AnswersWithThePlansStatusAndBody) {
  Inject({.type = "htmlError", .status = 503, .body = "<html>Sorry</html>"});
  const RawResponse answer = Call("GET", "/bucket/object");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, "<html>Sorry</html>");
}

}  // namespace
}  // namespace gcsflux::emulator
