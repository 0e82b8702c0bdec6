#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class StatusFault : public FaultTest {};

TEST_F(StatusFault, AnswersInsteadOfTheOperation) {
  Inject({.type = "status", .status = 503}, {.operation = "storage.objects.insert"});
  EXPECT_EQ(Insert("object", "content").status, 503);
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Stored("object"), std::nullopt);
}

TEST_F(StatusFault, AnswersInTheFormOfTheApi) {
  struct Case {
    std::uint64_t status;
    const char* reason;
    const char* xml_code;
  };
  const Case cases[] = {{400, "invalid", "InvalidArgument"},
                        {403, "forbidden", "AccessDenied"},
                        {408, "uploadBrokenConnection", "RequestTimeout"},
                        {429, "rateLimitExceeded", "SlowDown"},
                        {500, "backendError", "InternalError"},
                        {502, "badGateway", "InternalError"},
                        {503, "backendError", "ServiceUnavailable"},
                        {504, "gatewayTimeout", "InternalError"}};
  for (const Case& test : cases) {
    SCOPED_TRACE(test.status);
    emulator().faults().Clear();
    Inject({.type = "status", .status = test.status});
    const RawResponse answer = Call("GET", "/storage/v1/b/bucket");
    EXPECT_EQ(answer.status, static_cast<int>(test.status));
    EXPECT_EQ(json::parse(answer.body).at("error").at("code"), test.status);
    EXPECT_EQ(json::parse(answer.body).at("error").at("errors")[0].at("reason"), test.reason);
    const RawResponse xml = Call("GET", "/bucket/object");
    EXPECT_EQ(xml.status, static_cast<int>(test.status));
    EXPECT_THAT(xml.body, HasSubstr("<Code>" + std::string(test.xml_code) + "</Code>"));
    EXPECT_EQ(Fired(), 2U);
  }
}

TEST_F(StatusFault, AnswersWithThePlansStatusAndBody) {
  Inject({.type = "status",
          .status = 429,
          .body = "slow down",
          .content_type = "text/plain",
          .retry_after = std::chrono::seconds(7)});
  const RawResponse answer = Call("GET", "/storage/v1/b/bucket");
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.body, "slow down");
  EXPECT_EQ(answer.Header("content-type"), "text/plain");
  EXPECT_EQ(answer.headers.count("content-type"), 1U);
  EXPECT_EQ(answer.Header("retry-after"), "7");
}

TEST_F(StatusFault, OmitsTheBodyWhereHttpForbidsIt) {
  Inject({.type = "status", .status = 304});
  EXPECT_EQ(Exchange("GET", "/storage/v1/b/bucket").body, "");
}

TEST_F(StatusFault, KeepsTheConnectionUsable) {
  Inject({.type = "status", .status = 503}, {}, {.count = 1});
  RawConnection client(endpoint());
  EXPECT_EQ(client.Call("POST", InsertTarget("object"), "", Bytes(300'000)).status, 503);
  EXPECT_EQ(client.Call("POST", InsertTarget("object"), "", Bytes(300'000)).status, 200);
  EXPECT_EQ(Fired(), 1U);
}

}  // namespace
}  // namespace gcsflux::emulator
