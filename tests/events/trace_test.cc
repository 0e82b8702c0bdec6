// The timeline: a trace is read back, and lanes, order and bars are as a viewer needs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/events.h"
#include "support/fails_with.h"

namespace gcsflux {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class TraceTest : public ::testing::Test {
 protected:
  TraceTest() {
    std::string name = ::testing::TempDir() + "trace-XXXXXX";
    const int file = mkstemp(name.data());
    EXPECT_GE(file, 0);
    close(file);
    path_ = name;
  }
  ~TraceTest() override { std::filesystem::remove(path_); }

  [[nodiscard]] std::string Text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  // Those of one kind in the text written so far.
  static std::vector<json> Of(const json& events, const std::string& category) {
    std::vector<json> some;
    for (const json& event : events) {
      if (event.value("cat", "") == category) some.push_back(event);
    }
    return some;
  }

  std::string path_;
};

TEST_F(TraceTest, GivesConcurrentRequestsTheirOwnLanes) {
  emulator::Emulator emulator;
  const auto trace = *TraceWriter::Open(path_);
  const Client client =
      *Client::Create({.endpoint = emulator.endpoint(), .project = "test", .hedge_budget = 0, .event_listener = trace});
  ASSERT_TRUE(client.InsertBucket("bkt"));
  emulator.shaping().Set({.read_first_byte_ms = 20});
  std::latch all_are_there(8);  // a new thread may reuse the lane of one that has ended
  std::vector<std::jthread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      all_are_there.arrive_and_wait();
      for (int n = 0; n < 10; ++n) EXPECT_TRUE(client.GetBucket("bkt"));
    });
  }
  threads.clear();
  ASSERT_TRUE(trace->Close().ok());
  const auto requests = Of(json::parse(Text()), "request");
  ASSERT_EQ(requests.size(), 81U);
  std::map<int, std::vector<std::pair<double, double>>> lanes;
  double busy = 0;
  double end = 0;
  for (const json& request : requests) {
    EXPECT_EQ(request.at("ph"), "X");
    EXPECT_EQ(request.at("args").at("status"), 200);
    const double start = request.at("ts");
    const double duration = request.at("dur");
    EXPECT_GT(duration, 0);
    lanes[request.at("tid")].emplace_back(start, start + duration);
    busy += duration;
    end = std::max(end, start + duration);
  }
  EXPECT_EQ(lanes.size(), 9U);
  EXPECT_GT(busy, end) << "nothing ran at the same time";
  for (auto& [lane, bars] : lanes) {
    std::sort(bars.begin(), bars.end());
    for (std::size_t i = 1; i < bars.size(); ++i) EXPECT_GE(bars[i].first, bars[i - 1].second) << "lane " << lane;
  }
}

TEST_F(TraceTest, NestsTheWaitForTheFirstByteInItsRequest) {
  emulator::Emulator emulator;
  const auto trace = *TraceWriter::Open(path_);
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .project = "test", .event_listener = trace});
  ASSERT_TRUE(client.InsertBucket("bkt"));
  ASSERT_TRUE(trace->Close().ok());
  const json events = json::parse(Text());
  const json request = Of(events, "request").at(0);
  const json phase = Of(events, "phase").at(0);
  EXPECT_EQ(request.at("name"), "buckets.insert");
  EXPECT_EQ(request.at("args").at("object"), "gs://bkt");
  EXPECT_EQ(request.at("args").at("method"), "POST");
  EXPECT_EQ(phase.at("name"), "to first byte");
  EXPECT_EQ(phase.at("tid"), request.at("tid"));
  EXPECT_EQ(phase.at("ts"), request.at("ts"));
  EXPECT_LE(phase.at("dur"), request.at("dur"));
}

TEST_F(TraceTest, SeparatesOverlappingRequestsOfAThread) {
  const auto trace = *TraceWriter::Open(path_);
  const auto start = std::chrono::steady_clock::now();
  const auto at = [&](int ms) { return start + std::chrono::milliseconds(ms); };
  trace->OnEvent({.operation = "first", .start = at(0), .end = at(20)});
  trace->OnEvent({.operation = "beside it", .start = at(10), .end = at(20)});
  trace->OnEvent({.operation = "after both", .start = at(20), .end = at(30)});
  ASSERT_TRUE(trace->Close().ok());
  const auto requests = Of(json::parse(Text()), "request");
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_NE(requests[0].at("tid"), requests[1].at("tid"));
  EXPECT_EQ(requests[0].at("tid"), requests[2].at("tid"));
}

TEST_F(TraceTest, MarksFailures) {
  const auto trace = *TraceWriter::Open(path_);
  const Error error{ErrorCode::kUnavailable, "503: \"down\"\n\xFF"};
  for (const EventKind kind : {EventKind::kRetry, EventKind::kFailure, EventKind::kThrottle,
                               EventKind::kStalledFirstByte, EventKind::kHedgeSent}) {
    trace->OnEvent({.kind = kind,
                    .operation = "objects.get",
                    .subject = "gs://bkt/o",
                    .attempt = 3,
                    .error = &error,
                    .duration = std::chrono::microseconds(1500),
                    .threshold = std::chrono::microseconds(1000),
                    .is_engaged = true,
                    .rate = 8.5});
  }
  trace->OnEvent({.kind = EventKind::kToken, .duration = std::chrono::nanoseconds(1), .what = "metadata server"});
  ASSERT_TRUE(trace->Close().ok());
  const json events = json::parse(Text());
  const auto marks = Of(events, "event");
  ASSERT_EQ(marks.size(), 5U);
  std::vector<std::string> names;
  for (const json& mark : marks) {
    EXPECT_EQ(mark.at("ph"), "i");
    EXPECT_EQ(mark.at("args").at("object"), "gs://bkt/o");
    EXPECT_EQ(mark.at("args").at("attempt"), 3);
    names.push_back(mark.at("name"));
  }
  EXPECT_THAT(names, ::testing::ElementsAre("retry", "failure", "throttle", "stall", "hedge sent"));
  EXPECT_EQ(marks[0].at("args").at("cause"), "503: \"down\"\n?");
  EXPECT_EQ(marks[0].at("args").at("delay_us"), 1500.0);
  EXPECT_EQ(marks[2].at("args").at("rate"), 8.5);
  EXPECT_EQ(Of(events, "token").at(0).at("args").at("credential"), "metadata server");
}

TEST_F(TraceTest, MarksRefusedComposition) {
  const auto trace = *TraceWriter::Open(path_);
  trace->OnEvent({.kind = EventKind::kCompositionRefused, .bucket = "bkt", .what = "the caller lacks it"});
  ASSERT_TRUE(trace->Close().ok());
  const json mark = Of(json::parse(Text()), "event").at(0);
  EXPECT_EQ(mark.at("name"), "composition refused");
  EXPECT_EQ(mark.at("args").at("bucket"), "bkt");
  EXPECT_EQ(mark.at("args").at("reason"), "the caller lacks it");
}

TEST_F(TraceTest, MarksAnUnannouncedOrder) {
  const auto trace = *TraceWriter::Open(path_);
  trace->OnEvent({.kind = EventKind::kUnannouncedOrder, .subject = "gs://bkt/n/", .bucket = "bkt", .what = "do so"});
  ASSERT_TRUE(trace->Close().ok());
  const json mark = Of(json::parse(Text()), "event").at(0);
  EXPECT_EQ(mark.at("name"), "unannounced order");
  EXPECT_EQ(mark.at("args").at("dataset"), "gs://bkt/n/");
  EXPECT_EQ(mark.at("args").at("advice"), "do so");
}

TEST_F(TraceTest, MarksACacheThatCannotBeUsed) {
  const auto trace = *TraceWriter::Open(path_);
  const Error full{ErrorCode::kLocalIo, "disk full"};
  trace->OnEvent({.kind = EventKind::kCacheUnusable, .subject = "/c", .error = &full});
  ASSERT_TRUE(trace->Close().ok());
  const json mark = Of(json::parse(Text()), "event").at(0);
  EXPECT_EQ(mark.at("name"), "cache unusable");
  EXPECT_EQ(mark.at("args").at("directory"), "/c");
  EXPECT_EQ(mark.at("args").at("cause"), "disk full");
}

TEST_F(TraceTest, LacksOnlyTheBracketAfterACrash) {
  const auto trace = *TraceWriter::Open(path_);
  for (int i = 0; i < 3; ++i) {
    trace->OnEvent({.kind = EventKind::kHedgeSent, .operation = "objects.get", .attempt = i});
    const std::string text = Text();
    EXPECT_EQ(json::parse(text + "]").size(), static_cast<std::size_t>(i) + 2) << "written at once, and whole";
  }
}

TEST_F(TraceTest, DropsEventsAfterItsEnd) {
  const auto trace = *TraceWriter::Open(path_);
  ASSERT_TRUE(trace->Close().ok());
  trace->OnEvent({.kind = EventKind::kHedgeSent});
  ASSERT_TRUE(trace->Close().ok());
  EXPECT_EQ(json::parse(Text()).size(), 1U);
}

TEST_F(TraceTest, FailsIfTheFileCannotBeWritten) {
  EXPECT_TRUE(testing::FailsWith(TraceWriter::Open(path_ + "/no/directory"), ErrorCode::kLocalIo, HasSubstr(path_)));

  const auto full = TraceWriter::Open("/dev/full");
  ASSERT_TRUE(full.ok());
  (*full)->OnEvent({.kind = EventKind::kHedgeSent});
  const auto closed = (*full)->Close();
  ASSERT_FALSE(closed.ok());
  EXPECT_EQ(closed.error().code, ErrorCode::kLocalIo);
  EXPECT_THAT(closed.error().message, HasSubstr("No space left"));
}

}  // namespace
}  // namespace gcsflux
