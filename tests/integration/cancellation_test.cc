// At any place, a call returns kCancelled after a stop request while its answer is still missing: the emulator's clock
// stands still, so that nothing else ends it. Tokens are in auth/client_renewal_test.cc, parts in
// multipart_upload_test.cc, rewrites in operations_test.cc. A slow name look-up cannot be simulated here.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <thread>

#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"
#include "support/fails_with.h"
#include "support/full_listener.h"
#include "support/raw_server.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using namespace std::chrono_literals;
using emulator::FaultAction;
using emulator::FaultMatch;

const ObjectName kRead{"bkt", "object"};
const ObjectName kNew{"bkt", "new"};
constexpr std::size_t kChunk = 256 << 10;

template <class T>
std::optional<Error> ErrorOf(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error());
}

/// A call under a stop_token, and its error.
using Call = std::function<std::optional<Error>(const std::stop_token&)>;

// Starts the call, waits until it reaches the point where it must stop, and stops it.
void ExpectCancelled(const Call& call, const std::function<void()>& await_stall) {
  std::stop_source stop;
  std::optional<Error> error;
  std::jthread caller([&] { error = call(stop.get_token()); });
  await_stall();
  stop.request_stop();
  caller.join();
  ASSERT_TRUE(error.has_value()) << "it returned by itself";
  EXPECT_EQ(error->code, ErrorCode::kCancelled) << error->message;
}

class CancellationTest : public ::testing::Test {
 protected:
  CancellationTest() {
    emulator_.clock().Freeze();
    EXPECT_TRUE(client_.InsertBucket("bkt").ok());
    EXPECT_TRUE(client_.InsertBucket("empty").ok());
    EXPECT_TRUE(client_.InsertObject(kRead, AsBytes(content_)).ok());
  }

  void Stall(const FaultMatch& match, FaultAction action = {.type = "stall"}) {
    action.duration = 1h;
    emulator_.faults().Load({.rules = {{.name = "stall", .match = match, .action = action}}});
  }
  void ExpectCancelledAtTheEmulator(const Call& call, std::size_t stalled = 1) {
    ExpectCancelled(call, [&] { emulator_.clock().AwaitWaiters(stalled); });
    EXPECT_GE(emulator_.faults().Fired("stall"), stalled);
    emulator_.faults().Clear();
  }

  const std::string content_ = std::string(1 << 20, 'c');
  emulator::Emulator emulator_;
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
};

TEST(Cancellation, WorksWhileConnecting) {
  const testing::FullListener listener;
  const Client client = *Client::Create({.endpoint = listener.endpoint()});
  const int before = listener.Connecting();
  ExpectCancelled([&](const std::stop_token& stop) { return ErrorOf(client.ReadObject(kRead, {.stop = stop})); },
                  [&] {
                    while (listener.Connecting() <= before) std::this_thread::yield();
                  });
}

TEST(Cancellation, WorksDuringTheTlsHandshake) {
  std::stop_source stop;
  const testing::RawServer server([&](testing::RawServer::Connection& connection) {
    EXPECT_EQ(connection.Read(1), "\x16") << "a handshake begins so";
    stop.request_stop();
    connection.WaitForClose();
  });
  const Client client =
      *Client::Create({.endpoint = "https" + server.endpoint().substr(4), .credentials = Credentials::Anonymous()});
  EXPECT_TRUE(testing::FailsWith(client.ReadObject(kRead, {.stop = stop.get_token()}), ErrorCode::kCancelled));
}

TEST(Cancellation, WorksBeforeAnythingIsSent) {
  const emulator::Emulator emulator;
  const Client client = *Client::Create({.endpoint = emulator.endpoint()});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(testing::FailsWith(client.ReadObject(kRead, {.stop = stop.get_token()}), ErrorCode::kCancelled));
  EXPECT_TRUE(emulator.journal().empty());
}

TEST_F(CancellationTest, WorksDuringBackoff) {
  struct StopAtRetry : EventListener {
    void OnEvent(const Event& event) override {
      if (event.kind != EventKind::kRetry) return;
      EXPECT_GT(event.duration, 1min);
      stop.request_stop();
    }
    std::stop_source stop;
  };
  const auto listener = std::make_shared<StopAtRetry>();
  const Client patient =
      *Client::Create({.endpoint = emulator_.endpoint(),
                       .retry = RetryPolicies::All({.initial_delay = 1h, .max_delay = 1h, .deadline = 24h}),
                       .event_listener = listener});
  emulator_.faults().Load({.rules = {{.action = {.type = "status", .status = 503}}}});
  EXPECT_TRUE(
      testing::FailsWith(patient.ReadObject(kRead, {.stop = listener->stop.get_token()}), ErrorCode::kCancelled));
}

TEST_F(CancellationTest, WorksAtTheGate) {
  emulator_.quotas().Set({.reads_per_second = 0.001});
  const auto is_waiting = [&] {
    for (const GateStatus& gate : client_.flow_control()) {
      if (gate.waiting > 0) return true;
    }
    return false;
  };
  ASSERT_TRUE(client_.GetObject(kRead).ok()) << "uses the only token";
  ExpectCancelled([&](const std::stop_token& stop) { return ErrorOf(client_.ReadObject(kRead, {.stop = stop})); },
                  [&] {
                    while (!is_waiting()) std::this_thread::yield();
                  });
  EXPECT_GE(client_.counters().throttled, 1U);
}

TEST_F(CancellationTest, WorksInTheBodyOfARead) {
  constexpr std::size_t kStallAt = 500'000;
  Stall({.operation = "storage.objects.get"}, {.type = "stall", .after_bytes = kStallAt});
  std::size_t came = 0;
  const ByteSink sink = [&](std::span<const std::byte> data) -> Result<void> {
    came += data.size();
    return {};
  };
  ExpectCancelledAtTheEmulator(
      [&](const std::stop_token& stop) { return ErrorOf(client_.ReadObject(kRead, sink, {.stop = stop})); });
  EXPECT_LE(came, kStallAt);
}

TEST_F(CancellationTest, WorksDuringASecondRequest) {
  const Client hasty = *Client::Create({.endpoint = emulator_.endpoint(), .hedge_budget = 1, .hedge_min_stall = 1ms});
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(hasty.ReadObject(kRead).ok());
  const auto before = hasty.counters().hedges;
  Stall({.operation = "storage.objects.get"});
  ExpectCancelledAtTheEmulator(
      [&](const std::stop_token& stop) { return ErrorOf(hasty.ReadObject(kRead, {.stop = stop})); }, 2);
  EXPECT_GT(hasty.counters().hedges, before);
}

TEST_F(CancellationTest, WorksForAStalledUpload) {
  const std::string large(8 << 20, 'u');  // More than the socket buffers hold.
  Stall({.operation = "storage.objects.insert"}, {.type = "stallUpload", .after_bytes = 1});
  ExpectCancelledAtTheEmulator([&](const std::stop_token& stop) {
    return ErrorOf(UploadObject(client_, kNew, AsBytes(large), {.stop = stop}));
  });
  EXPECT_EQ(testing::ErrorOf(client_.GetObject(kNew)).code, ErrorCode::kNotFound);
}

TEST_F(CancellationTest, WorksBetweenPagesOfAListing) {
  struct StopAtFirstPage : EventListener {
    void OnEvent(const Event& event) override {
      if (event.kind == EventKind::kRequest) stop.request_stop();
    }
    std::stop_source stop;
  };
  emulator::Emulator emulator({.virtual_buckets = {{.name = "many", .count = 12'000, .size_bytes = 1}}});
  const auto listener = std::make_shared<StopAtFirstPage>();
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .event_listener = listener});
  EXPECT_TRUE(testing::FailsWith(ListPrefix(client, {"many", ""}, {.stop = listener->stop.get_token()}),
                                 ErrorCode::kCancelled));
  EXPECT_EQ(emulator.journal().size(), 1U);
}

TEST_F(CancellationTest, WorksForABatch) {
  const auto listed = client_.ListObjects({"bkt"});
  ASSERT_TRUE(listed.ok());
  const std::vector<ObjectMetadata> wanted(12, listed->objects.at(0));
  const Downloader downloader(client_, {.max_concurrency = 4});
  Stall({.operation = "storage.objects.get"}, {.type = "stall", .after_bytes = 1'000});
  ExpectCancelledAtTheEmulator(
      [&](const std::stop_token& stop) { return ErrorOf(downloader.Download(DownloadSources(wanted), stop)); }, 4);
  EXPECT_LE(emulator_.faults().Fired("stall"), 8U);
  const auto whole = downloader.Download(DownloadSources(wanted));  // The threads are there for others.
  EXPECT_TRUE(whole.ok()) << whole.error().message;
}

class SessionCancellationTest : public CancellationTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(SessionCancellationTest, WorksForAWriter) {
  Stall({.operation = "storage.objects.insert", .phase = GetParam()});
  ExpectCancelledAtTheEmulator([&](const std::stop_token& stop) -> std::optional<Error> {
    ObjectWriter writer(client_, kNew, {.chunk_bytes = kChunk, .stop = stop, .path = WritePath::kOneStream});
    if (const auto written = writer.Write(AsBytes(content_ + "the last chunk")); !written) return written.error();
    return ErrorOf(writer.Close());
  });
}

TEST_P(SessionCancellationTest, WorksForAnUploadFromMemory) {
  Stall({.operation = "storage.objects.insert", .phase = GetParam()});
  ExpectCancelledAtTheEmulator([&](const std::stop_token& stop) {
    return ErrorOf(UploadObject(client_, kNew, AsBytes(content_), {.chunk_bytes = kChunk, .stop = stop}));
  });
}

INSTANTIATE_TEST_SUITE_P(Each, SessionCancellationTest, ::testing::Values("start", "chunk", "final"),
                         [](const auto& phase) { return std::string(phase.param); });

// An operation, stopped while it waits for its answer.
struct Operation {
  std::string name;
  std::function<std::optional<Error>(const Client&, const std::stop_token&)> run;
};

void PrintTo(const Operation& operation, std::ostream* out) { *out << operation.name; }

class OperationCancellationTest : public CancellationTest, public ::testing::WithParamInterface<Operation> {};

TEST_P(OperationCancellationTest, WorksWithoutAnAnswer) {
  Stall({.operation = GetParam().name});
  ExpectCancelledAtTheEmulator([&](const std::stop_token& stop) { return GetParam().run(client_, stop); });
}

std::vector<Operation> Operations() {
  using Stop = std::stop_token;
  return {
      {"storage.buckets.insert",
       [](const Client& c, const Stop& s) { return ErrorOf(c.InsertBucket("b2b", {.stop = s})); }},
      {"storage.buckets.get", [](const Client& c, const Stop& s) { return ErrorOf(c.GetBucket("bkt", {.stop = s})); }},
      {"storage.buckets.list", [](const Client& c, const Stop& s) { return ErrorOf(c.ListBuckets({.stop = s})); }},
      {"storage.buckets.delete",
       [](const Client& c, const Stop& s) { return ErrorOf(c.DeleteBucket("empty", {.stop = s})); }},
      {"storage.buckets.testIamPermissions",
       [](const Client& c, const Stop& s) {
         return ErrorOf(c.TestBucketPermissions("bkt", {"storage.objects.get"}, {.stop = s}));
       }},
      {"storage.objects.get", [](const Client& c, const Stop& s) { return ErrorOf(c.GetObject(kRead, {.stop = s})); }},
      {"storage.objects.list",
       [](const Client& c, const Stop& s) {
         return ErrorOf(ListPrefix(c, {"bkt", ""}, {.stop = s}));
       }},
      {"storage.objects.insert",
       [](const Client& c, const Stop& s) { return ErrorOf(c.InsertObject(kNew, AsBytes("x"), {.stop = s})); }},
      {"storage.objects.patch",
       [](const Client& c, const Stop& s) {
         return ErrorOf(c.PatchObject(kRead, {.cache_control = "no-store"}, {.stop = s}));
       }},
      {"storage.objects.update",
       [](const Client& c, const Stop& s) { return ErrorOf(c.UpdateObject(kRead, {}, {.stop = s})); }},
      {"storage.objects.compose",
       [](const Client& c, const Stop& s) { return ErrorOf(c.ComposeObjects({{"object"}}, kNew, {.stop = s})); }},
      {"storage.objects.copy",
       [](const Client& c, const Stop& s) { return ErrorOf(c.CopyObject(kRead, kNew, {.stop = s})); }},
      {"storage.objects.rewrite",
       [](const Client& c, const Stop& s) { return ErrorOf(c.RewriteObject(kRead, kNew, {.stop = s})); }},
      {"storage.objects.move",
       [](const Client& c, const Stop& s) { return ErrorOf(c.MoveObject(kRead, kNew, {.stop = s})); }},
      {"storage.objects.delete",
       [](const Client& c, const Stop& s) { return ErrorOf(c.DeleteObject(kRead, {.stop = s})); }},
  };
}

INSTANTIATE_TEST_SUITE_P(Each, OperationCancellationTest, ::testing::ValuesIn(Operations()), [](const auto& operation) {
  std::string name = operation.param.name;
  std::erase(name, '.');
  return name;
});

}  // namespace
}  // namespace gcsflux
