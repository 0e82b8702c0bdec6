// The events and counters of a client that uses the emulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/upload.h"
#include "support/load_fault.h"
#include "support/raw_server.h"
#include "support/recorded_events.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::RecordedEvents;

const ObjectName kObject{"bkt", "o"};

class ClientEvents : public ::testing::Test {
 protected:
  void SetUp() override {
    const Client unobserved = *Client::Create({.endpoint = emulator_.endpoint(), .project = "test"});
    ASSERT_TRUE(unobserved.InsertBucket("bkt"));
    ASSERT_TRUE(unobserved.InsertObject(kObject, AsBytes("0123456789")));
  }

  [[nodiscard]] ClientOptions Options() const {
    return {.endpoint = emulator_.endpoint(), .project = "test", .event_listener = events_};
  }

  emulator::Emulator emulator_;
  std::shared_ptr<RecordedEvents> events_ = std::make_shared<RecordedEvents>();
  Client client_ = *Client::Create(Options());
};

TEST_F(ClientEvents, ReportARequestWithAllItsFields) {
  const auto before = std::chrono::steady_clock::now();
  ASSERT_TRUE(client_.ReadObject(kObject, {.range = ByteRange{2, 5}}).ok());
  const auto after = std::chrono::steady_clock::now();
  ASSERT_EQ(events_->requests.size(), 1U);
  const auto& request = events_->requests.front();
  EXPECT_EQ(request.call.operation, "objects.get");
  EXPECT_EQ(request.call.subject, "gs://bkt/o [2, 7)");
  EXPECT_EQ(request.call.bucket, "bkt");
  EXPECT_EQ(request.call.invocation_id, emulator_.journal().back().invocation_id);
  EXPECT_EQ(request.call.attempt, 1);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.url, emulator_.endpoint() + "/storage/v1/b/bkt/o/o?alt=media");
  EXPECT_EQ(request.event.status, 206);
  EXPECT_FALSE(request.event.failure);
  EXPECT_EQ(request.event.bytes_sent, 0U);
  EXPECT_EQ(request.event.bytes_received, 5U);
  ASSERT_TRUE(request.event.first_byte);
  EXPECT_LE(before, request.event.start);
  EXPECT_LT(request.event.start, *request.event.first_byte);
  EXPECT_LE(*request.event.first_byte, request.event.end);
  EXPECT_LE(request.event.end, after);
}

TEST_F(ClientEvents, ReportTheAnswersFirstByteOfAnUpload) {
  emulator_.shaping().Set({.write_first_byte_ms = 30});
  ASSERT_TRUE(client_.InsertObject({"bkt", "new"}, AsBytes(std::string(100'000, 'x'))));
  const auto& event = events_->requests.at(0).event;
  EXPECT_GT(event.bytes_sent, 100'000U) << "the metadata is sent with it";
  ASSERT_TRUE(event.first_byte);
  EXPECT_GE(*event.first_byte - event.start, std::chrono::milliseconds(30));
}

TEST_F(ClientEvents, ReportARetryWithCauseAndDelay) {
  testing::LoadFault(emulator_, "down", {.operation = "storage.objects.get"}, {.type = "status", .status = 503}, 2);
  ASSERT_TRUE(client_.GetObject(kObject));
  EXPECT_EQ(emulator_.faults().Fired("down"), 2U);
  ASSERT_EQ(events_->requests.size(), 3U);
  ASSERT_EQ(events_->retries.size(), 2U);
  for (int i = 0; i < 2; ++i) {
    const auto& retry = events_->retries[static_cast<std::size_t>(i)];
    EXPECT_EQ(retry.call.attempt, i + 1);
    EXPECT_EQ(retry.call.operation, "objects.get");
    EXPECT_EQ(retry.call.subject, "gs://bkt/o");
    EXPECT_EQ(retry.call.invocation_id, events_->requests.front().call.invocation_id);
    EXPECT_EQ(retry.cause.http_status, 503);
    EXPECT_GE(retry.delay, std::chrono::milliseconds(50));
    EXPECT_EQ(events_->requests[static_cast<std::size_t>(i)].event.status, 503);
  }
  EXPECT_EQ(events_->requests.back().call.attempt, 3);
  const Counters counters = client_.counters();
  EXPECT_EQ(counters.calls, 1U);
  EXPECT_EQ(counters.failures, 0U);
  EXPECT_EQ(counters.requests, 3U);
  EXPECT_EQ(counters.retries, 2U);
}

TEST_F(ClientEvents, ReportABrokenConnectionWithoutAStatus) {
  ClientOptions options = Options();
  options.endpoint = testing::RefusingEndpoint();
  options.retry = RetryPolicies::All({.max_attempts = 1});
  const Client client = *Client::Create(options);
  EXPECT_FALSE(client.GetObject(kObject));
  ASSERT_EQ(events_->requests.size(), 1U);
  const auto& event = events_->requests.front().event;
  EXPECT_EQ(event.status, 0);
  EXPECT_EQ(event.failure, ErrorCode::kUnreachable);
  EXPECT_FALSE(event.first_byte);
  EXPECT_EQ(client.counters().failures, 1U);
}

TEST_F(ClientEvents, CountTheBytesOfABrokenBody) {
  testing::LoadFault(emulator_, "cut", {.operation = "storage.objects.get"}, {.type = "cut", .after_bytes = 4}, 1);
  EXPECT_EQ(testing::ValueOf(client_.ReadObject(kObject)), "0123456789");
  EXPECT_EQ(emulator_.faults().Fired("cut"), 1U);
  ASSERT_EQ(events_->requests.size(), 2U);
  EXPECT_EQ(events_->requests[0].event.failure, ErrorCode::kTruncated);
  EXPECT_EQ(events_->requests[0].event.bytes_received, 4U);
  EXPECT_EQ(events_->requests[1].event.bytes_received, 6U);
  EXPECT_EQ(client_.counters().bytes_received, 10U);
}

TEST_F(ClientEvents, ReportThrottlingWithTheGatesState) {
  emulator_.quotas().Set({.reads_per_second = 50});
  std::vector<std::jthread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 15; ++n) EXPECT_TRUE(client_.GetObject(kObject));
    });
  }
  threads.clear();
  ASSERT_FALSE(events_->throttles.empty());
  EXPECT_EQ(client_.counters().throttled, events_->throttles.size());
  const auto& last = events_->throttles.back();
  EXPECT_EQ(last.call.bucket, "bkt");
  EXPECT_EQ(last.event.gate_class, GateClass::kRead);
  EXPECT_TRUE(last.event.is_engaged);
  EXPECT_GT(last.event.rate, 0.0);

  const auto gates = client_.flow_control();
  ASSERT_EQ(gates.size(), 1U);
  EXPECT_EQ(gates.front().bucket, "bkt");
  EXPECT_EQ(gates.front().gate_class, GateClass::kRead);
  EXPECT_TRUE(gates.front().is_engaged);
  EXPECT_EQ(gates.front().waiting, 0U);
  EXPECT_EQ(gates.front().throttled, events_->throttles.size());
}

TEST_F(ClientEvents, ReportThrottlingWithoutAGate) {
  testing::LoadFault(emulator_, "throttle", {.operation = "storage.objects.get"}, {.type = "status", .status = 429}, 1);
  ClientOptions options = Options();
  options.pace_throttled = false;
  const Client client = *Client::Create(options);
  ASSERT_TRUE(client.GetObject(kObject));
  ASSERT_EQ(events_->throttles.size(), 1U);
  EXPECT_FALSE(events_->throttles.front().event.is_engaged);
  EXPECT_TRUE(client.flow_control().empty());
}

TEST_F(ClientEvents, HideTheUriOfASession) {
  ObjectWriter writer(client_, {"bkt", "streamed"}, {.chunk_bytes = 256U << 10, .path = WritePath::kOneStream});
  ASSERT_TRUE(writer.Write(AsBytes(std::string(600U << 10, 'x'))));
  ASSERT_TRUE(writer.Close());
  ASSERT_EQ(events_->requests.size(), 4U) << "the session's start and three chunks";
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(events_->requests[i].url, emulator_.endpoint() + "/[secret]");
  EXPECT_EQ(client_.counters().requests, 4U);
  EXPECT_GE(client_.counters().bytes_sent, 600U << 10);
}

class Throwing : public EventListener {
  void OnEvent(const Event& event) override {
    if (event.kind == EventKind::kRequest) throw std::runtime_error("a listener's own trouble");
  }
};

TEST_F(ClientEvents, SurviveAThrowingListener) {
  ClientOptions options = Options();
  options.event_listener = std::make_shared<Throwing>();
  const Client client = *Client::Create(options);
  EXPECT_EQ(testing::ValueOf(client.ReadObject(kObject)), "0123456789");
  EXPECT_EQ(client.counters().listener_exceptions, 1U);
  EXPECT_EQ(client.counters().requests, 1U);
}

TEST_F(ClientEvents, CountCopiesOfAClientTogether) {
  const Client copy = client_;
  ASSERT_TRUE(copy.GetObject(kObject));
  EXPECT_FALSE(client_.GetObject({"bkt", "none"}));
  EXPECT_EQ(client_.counters().calls, 2U);
  EXPECT_EQ(copy.counters().failures, 1U);
}

}  // namespace
}  // namespace gcsflux
