#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "gcsflux/emulator/quotas.h"
#include "gcsflux/emulator/shaping.h"
#include "quotas/quota_settings.h"
#include "shaping/shaping_settings.h"

namespace gcsflux::emulator {
namespace {

using ::testing::HasSubstr;

template <class Parse>
std::string RefusalOf(Parse&& parse) {
  try {
    parse();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ShapingSettings, RoundTrip) {
  const Shaping gcs = ShapingProfile("gcs");
  EXPECT_EQ(ParseShaping(RenderShaping(gcs)), gcs);
  EXPECT_EQ(ParseShaping(RenderShaping({})), Shaping());
}

TEST(ShapingSettings, StartFromAProfile) {
  const Shaping shaping = ParseShaping(R"({"stream_read_mbps": 10, "profile": "gcs", "stream_write_mbps": null})");
  EXPECT_EQ(shaping.stream_read_mbps, 10);
  EXPECT_EQ(shaping.stream_write_mbps, std::nullopt);
  EXPECT_EQ(shaping.read_first_byte_ms, Distribution::LogNormal(50, 200));
}

TEST(ShapingSettings, AreThoseOfTheProfile) {
  const Shaping gcs = ShapingProfile("gcs");
  EXPECT_EQ(gcs.stream_read_mbps, 250);
  EXPECT_EQ(gcs.stream_write_mbps, 100);
  EXPECT_EQ(gcs.write_first_byte_ms, Distribution(80));
  EXPECT_EQ(gcs.list_first_byte_ms, Distribution(60));
  EXPECT_EQ(gcs.list_item_us, 70);
  EXPECT_EQ(gcs.compose_first_byte_ms, Distribution(100));
  EXPECT_EQ(gcs.delete_first_byte_ms, Distribution(40));
  EXPECT_EQ(ShapingProfile("none"), Shaping());
}

TEST(QuotaSettings, StartFromAProfile) {
  const Quotas quotas = ParseQuotas(R"({"profile": "gcs", "writes_per_second": 10, "refused_count": true})");
  EXPECT_EQ(quotas.reads_per_second, 5000);
  EXPECT_EQ(quotas.writes_per_second, 10);
  EXPECT_EQ(quotas.object_mutations_per_second, 1);
  EXPECT_EQ(quotas.bucket_updates_per_second, 1);
  EXPECT_EQ(quotas.depth_ms, 50);
  EXPECT_TRUE(quotas.refused_count);
  EXPECT_EQ(QuotasProfile("none"), Quotas());
}

TEST(Settings, SetOneFieldByItsName) {
  Shaping shaping;
  EXPECT_TRUE(SetField(shaping, "stream_read_mbps", "5"));
  EXPECT_EQ(shaping.stream_read_mbps, 5);
  EXPECT_FALSE(SetField(shaping, "reads_per_second", "5")) << "it is one of the quotas";
  EXPECT_EQ(RefusalOf([&] { SetField(shaping, "stream_read_mbps", "soon"); }).substr(0, 16), "stream_read_mbps");
}

TEST(Settings, NameLineAndFieldOfAnError) {
  struct Case {
    const char* json;
    const char* why;
  };
  const Case cases[] = {
      {"", "line 1: is not JSON"},
      {"[]", "line 1: must be a JSON object"},
      {"{\"seed\": 1,\n}", "line 2: is not JSON"},
      {"{\n\"stream_read_mbps\": 1,\n\"stream_reed_mbps\": 1}", "line 3: stream_reed_mbps: is not a known field"},
      {"{\n\n\"stream_read_mbps\": -1}", "line 3: stream_read_mbps: '-1' is not a number from"},
      {"{\"stream_read_mbps\": 0}", "line 1: stream_read_mbps: '0'"},
      {"{\"stream_read_mbps\": true}", "line 1: stream_read_mbps: 'true'"},
      {"{\"stream_read_mbps\": [1]}", "line 1: stream_read_mbps: must be a number, a string or null"},
      {"{\"list_item_us\": null}", "line 1: list_item_us: ''"},
      {"{\"seed\": 1.5}", "line 1: seed: '1.5' is not a whole number"},
      {"{\"seed\": 1,\n\"seed\": 2}", "line 2: seed: occurs twice"},
      {"{\"profile\": \"aws\"}", "line 1: profile: 'aws' is neither none nor gcs"},
      {"{\"read_first_byte_ms\": \"lognormal(1)\"}", "line 1: read_first_byte_ms: 'lognormal(1)' must be a number"},
      {"{\"read_first_byte_ms\": -5}", "line 1: read_first_byte_ms: '-5' must be between"},
      {"{\"a\\\"b:\": {\"seed\": 1}, \"seed\": 1}", "line 1: a\"b:: must be a number"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(RefusalOf([&] { ParseShaping(c.json); }), HasSubstr(c.why)) << c.json;
  }
  EXPECT_THAT(RefusalOf([] { ParseQuotas("{\"refused_count\": 1}"); }), HasSubstr("refused_count: '1' is neither"));
  EXPECT_THAT(RefusalOf([] { ParseQuotas("{\"latency_growth_from\": 1}"); }), HasSubstr("latency_growth_from"));
}

TEST(Settings, RefuseInvalidValuesOfAProgram) {
  EXPECT_THAT(RefusalOf([] { CheckShaping({.stream_read_mbps = -1}); }), HasSubstr("stream_read_mbps"));
  EXPECT_THAT(RefusalOf([] { CheckShaping({.list_item_us = std::stod("nan")}); }), HasSubstr("list_item_us"));
  EXPECT_THAT(RefusalOf([] { CheckQuotas({.ramp_speed = 0}); }), HasSubstr("ramp_speed"));
  EXPECT_EQ(RefusalOf([] { CheckQuotas(QuotasProfile("gcs")); }), "accepted");
}

}  // namespace
}  // namespace gcsflux::emulator
