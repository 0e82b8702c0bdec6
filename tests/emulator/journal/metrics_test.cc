#include "journal/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gcsflux::emulator {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(Metrics, HaveTheFormatOfPrometheus) {
  RequestCounters counters;
  const auto got = counters.Find("storage.objects.get", 200);
  got->requests = 2;
  got->bytes_in = 3;
  got->bytes_out = 400;
  got->AddFinished(microseconds(100));
  got->AddFinished(milliseconds(20));
  counters.Find("storage.objects.get", 404)->requests = 1;
  counters.Find("storage.objects.get", 404)->AddFinished(std::chrono::hours(1));
  const std::string text = RenderMetrics(counters.table(), {.buckets = 1, .objects = 2, .stored_bytes = 3});
  for (const char* line : {
           ("# TYPE gcsflux_emulator_requests_total counter\n"
            "gcsflux_emulator_requests_total{operation=\"storage.objects.get\",status=\"200\"} 2\n"
            "gcsflux_emulator_requests_total{operation=\"storage.objects.get\",status=\"404\"} 1\n"),
           "gcsflux_emulator_received_bytes_total{operation=\"storage.objects.get\",status=\"200\"} 3\n",
           "gcsflux_emulator_sent_bytes_total{operation=\"storage.objects.get\",status=\"200\"} 400\n",
           "# TYPE gcsflux_emulator_request_duration_seconds histogram\n",
           "duration_seconds_bucket{operation=\"storage.objects.get\",le=\"0.0001\"} 1\n",
           "duration_seconds_bucket{operation=\"storage.objects.get\",le=\"0.01\"} 1\n",
           "duration_seconds_bucket{operation=\"storage.objects.get\",le=\"0.025\"} 2\n",
           "duration_seconds_bucket{operation=\"storage.objects.get\",le=\"120\"} 2\n",
           "duration_seconds_bucket{operation=\"storage.objects.get\",le=\"+Inf\"} 3\n",
           "duration_seconds_sum{operation=\"storage.objects.get\"} 3600.0201\n",
           "duration_seconds_count{operation=\"storage.objects.get\"} 3\n",
           "\ngcsflux_emulator_buckets 1\n",
           "\ngcsflux_emulator_objects 2\n",
           "\ngcsflux_emulator_stored_bytes 3\n",
           "\ngcsflux_emulator_connections 0\n",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_EQ(text.back(), '\n');
}

}  // namespace
}  // namespace gcsflux::emulator
