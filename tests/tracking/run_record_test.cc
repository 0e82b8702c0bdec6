// The record of a run: JSON and back, and other JSON.
#include "formats/events/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/fails_with.h"

namespace gcsflux::internal {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;

RunRecord SomeRecord() {
  RunRecord record{.state = "running",
                   .started = std::chrono::sys_days(std::chrono::November / 20 / 2026),
                   .updated = std::chrono::sys_days(std::chrono::November / 21 / 2026),
                   .revision = "abc",
                   .parameters = {{"rate", "0.1"}},
                   .environment = {{"host", "h"}},
                   .client = {{"requests", 3}},
                   .events = 5,
                   .dropped = 1};
  record.metrics["loss"].Add(2.5, 1);
  record.metrics["loss"].Add(std::numeric_limits<double>::quiet_NaN(), 2);
  record.metrics["loss"].Add(-std::numeric_limits<double>::infinity(), 3);
  return record;
}

TEST(RunRecord, IsReadBack) {
  const RunRecord record = SomeRecord();
  const auto read = ParseRunRecord(FormatRunRecord(record), "run.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->state, "running");
  EXPECT_EQ(read->started, record.started);
  EXPECT_EQ(read->updated, record.updated);
  EXPECT_EQ(read->revision, "abc");
  EXPECT_EQ(read->parameters, record.parameters);
  EXPECT_EQ(read->environment, record.environment);
  EXPECT_EQ(read->client, record.client);
  EXPECT_EQ(read->events, 5U);
  EXPECT_EQ(read->dropped, 1U);
  const RunMetric& loss = read->metrics.at("loss");
  EXPECT_EQ(loss.last, -INFINITY);
  EXPECT_EQ(loss.step, 3);
  EXPECT_EQ(loss.count, 3U);
  EXPECT_EQ(loss.least, 2.5);
  EXPECT_EQ(loss.most, 2.5);
}

TEST(RunRecord, TextsThatAreNoUtf8AreStillJson) {
  RunRecord record = SomeRecord();
  record.parameters["path"] = "a\xFF";
  EXPECT_TRUE(ParseRunRecord(FormatRunRecord(record), "run.json").ok());
}

TEST(RunRecord, OtherJsonIsUndecodable) {
  std::string cut = FormatRunRecord(SomeRecord());
  cut.resize(cut.size() / 2);
  for (const std::string& json :
       {std::string(), cut, std::string("[]"), std::string("{}"), std::string(R"({"gcsflux_run":1})"),
        std::string(R"({"gcsflux_run":1,"state":7})"), std::string(100'000, '['), std::string("{}\0", 3)}) {
    EXPECT_TRUE(
        FailsWith(ParseRunRecord(json, "gs://bkt/run.json"), ErrorCode::kUndecodable, HasSubstr("gs://bkt/run.json")));
  }
}

}  // namespace
}  // namespace gcsflux::internal
