// Two exchanges that race over real sockets: one of them wins, and the other is dropped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "http/curl_transport.h"
#include "support/fails_with.h"
#include "support/loop_transport.h"
#include "support/raw_server.h"

namespace gcsflux::internal {
namespace {

using testing::RawServer;

class SecondRequest : public ::testing::TestWithParam<testing::Driving> {};
GCSFLUX_DRIVEN_BOTH_WAYS(SecondRequest);

constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n";

// Accepts bodies of answers below 300 and keeps everything.
class NotifyingCollector : public BodyReceiver {
 public:
  Result<bool> OnHeaders(const HttpResponse& response) override {
    ++heads;
    return response.status < 300;
  }
  Result<void> OnBody(std::span<const std::byte> data) override {
    body.append(reinterpret_cast<const char*>(data.data()), data.size());
    if (const auto told = std::exchange(on_first_body, {})) told();
    return {};
  }
  std::function<void()> on_first_body;
  int heads = 0;
  std::string body;
};

// Reports the exchange as overdue as soon as nothing can be read, or once this many bytes of the body have arrived.
class Impatient : public Watch {
 public:
  Impatient(const NotifyingCollector& collector, std::string url, std::size_t after_bytes = 0)
      : collector_(collector), after_bytes_(after_bytes), second_{.url = std::move(url)} {}

  std::optional<std::chrono::nanoseconds> TimeLeft() override {
    if (asked || collector_.body.size() < after_bytes_) return std::nullopt;
    return std::chrono::nanoseconds(0);
  }
  const HttpRequest* OnOverdue() override {
    asked = true;
    return &second_;
  }
  void OnSecondWon() override { ++won; }
  void OnSecondFailed(const Result<HttpResponse>& outcome) override { failed = outcome; }

  bool asked = false;
  int won = 0;
  std::optional<Result<HttpResponse>> failed;

 private:
  const NotifyingCollector& collector_;
  const std::size_t after_bytes_;
  const HttpRequest second_;
};

// One path is answered only after the other's request has arrived, as the test chooses.
class Rivals {
 public:
  using Script = RawServer::Script;
  Rivals(const Script& first, const Script& second)
      : server_([=](RawServer::Connection& c) { c.ReadHead().starts_with("GET /first") ? first(c) : second(c); }) {}

  [[nodiscard]] std::string url(const std::string& path) const { return server_.endpoint() + path; }
  Result<HttpResponse> Run(std::size_t after_bytes = 0, const std::stop_token& stop = {}) {
    watch.emplace(collector, url("/second"), after_bytes);
    const auto transport = testing::MakeTransport(SecondRequest::GetParam(), {.stall_timeout = stall_timeout});
    return transport->PerformWatched({.url = url("/first")}, &collector, *watch, stop);
  }

  std::chrono::seconds stall_timeout{60};
  NotifyingCollector collector;
  std::optional<Impatient> watch;

 private:
  const RawServer server_;
};

void Answer(RawServer::Connection& c) { c.Send(std::string(kHead) + "second"); }
void Stall(RawServer::Connection& c) { c.WaitForClose(); }

TEST_P(SecondRequest, WinsIfTheFirstSendsNothing) {
  Rivals rivals(Stall, Answer);  // Stall returns only if the first connection is closed.
  const auto response = rivals.Run();
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(rivals.collector.body, "second");
  EXPECT_EQ(rivals.watch->won, 1);
  EXPECT_FALSE(rivals.watch->failed);
}

TEST_P(SecondRequest, ContinuesWhereTheFirstStoppedInItsBody) {
  Rivals rivals(
      [](RawServer::Connection& c) {
        c.Send(std::string(kHead) + "fir");
        c.WaitForClose();
      },
      [](RawServer::Connection& c) { c.Send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nond"); });
  const auto response = rivals.Run(/*after_bytes=*/3);
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(rivals.collector.body, "firond");
  EXPECT_EQ(rivals.collector.heads, 2);
  EXPECT_EQ(rivals.watch->won, 1);
}

TEST_P(SecondRequest, LosesIfTheFirstContinues) {
  std::binary_semaphore second_came(0);
  Rivals rivals(
      [&](RawServer::Connection& c) {
        second_came.acquire();
        c.Send(std::string(kHead) + "first!");
      },
      [&](RawServer::Connection& c) {
        second_came.release();
        c.WaitForClose();
      });
  const auto response = rivals.Run();
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(rivals.collector.body, "first!");
  EXPECT_EQ(rivals.watch->won, 0);
  ASSERT_TRUE(rivals.watch->failed && !rivals.watch->failed->ok());
  EXPECT_EQ(rivals.watch->failed->error().code, ErrorCode::kCancelled);
}

TEST_P(SecondRequest, LeavesTheFirstInPlaceIfItFails) {
  std::binary_semaphore refused(0);
  Rivals rivals(
      [&](RawServer::Connection& c) {
        refused.acquire();
        c.Send(std::string(kHead) + "first!");
      },
      [&](RawServer::Connection& c) {
        c.Send("HTTP/1.1 503 Busy\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy");
        c.WaitForClose();  // The client has read all of it.
        refused.release();
      });
  const auto response = rivals.Run();
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(rivals.collector.body, "first!");
  ASSERT_TRUE(rivals.watch->failed && rivals.watch->failed->ok());
  EXPECT_EQ((*rivals.watch->failed)->status, 503);
}

TEST_P(SecondRequest, SurvivesABrokenFirst) {
  std::binary_semaphore second_came(0), first_gone(0);
  Rivals rivals(
      [&](RawServer::Connection& c) {
        second_came.acquire();
        c.Reset();
        first_gone.release();
      },
      [&](RawServer::Connection& c) {
        second_came.release();
        first_gone.acquire();
        Answer(c);
      });
  const auto response = rivals.Run();
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(rivals.collector.body, "second");
  EXPECT_EQ(rivals.watch->won, 1);
}

TEST_P(SecondRequest, ReportsTheFirstFailureIfBothFail) {
  std::binary_semaphore second_came(0);
  Rivals rivals(
      [&](RawServer::Connection& c) {
        second_came.acquire();
        c.Send("HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n");
      },
      [&](RawServer::Connection& c) {
        second_came.release();
        c.Reset();
      });
  const auto response = rivals.Run();
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(response->status, 500);
  ASSERT_TRUE(rivals.watch->failed);
  EXPECT_FALSE(rivals.watch->failed->ok());
}

TEST_P(SecondRequest, TimesOutIfBothStall) {
  Rivals rivals(Stall, Stall);
  rivals.stall_timeout = std::chrono::seconds(1);
  EXPECT_TRUE(testing::FailsWith(rivals.Run(), ErrorCode::kUnavailable));
  ASSERT_TRUE(rivals.watch->failed && !rivals.watch->failed->ok());
  EXPECT_EQ(rivals.watch->failed->error().code, ErrorCode::kUnavailable);
}

// The other one's bytes have also arrived by the time the first one's are consumed.
TEST_P(SecondRequest, DeliversNothingOnceTheFirstLeads) {
  std::binary_semaphore second_came(0), first_is_taken(0);
  std::counting_semaphore<2> second_has_answered(0);
  Rivals rivals(
      [&](RawServer::Connection& c) {
        second_came.acquire();
        c.Send(std::string(kHead) + "fir");
        second_has_answered.acquire();
        c.Send("st!");
        c.WaitForClose();
      },
      [&](RawServer::Connection& c) {
        second_came.release();
        first_is_taken.acquire();
        Answer(c);
        second_has_answered.release(2);
        c.WaitForClose();
      });
  rivals.collector.on_first_body = [&] {
    first_is_taken.release();
    second_has_answered.acquire();
  };
  const auto response = rivals.Run();
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(rivals.collector.body, "first!");
  EXPECT_EQ(rivals.watch->won, 0);
}

TEST_P(SecondRequest, IsCancelledWithTheFirst) {
  std::stop_source stop;
  Rivals rivals(Stall, [&](RawServer::Connection& c) {
    stop.request_stop();
    c.WaitForClose();
  });
  EXPECT_TRUE(testing::FailsWith(rivals.Run(0, stop.get_token()), ErrorCode::kCancelled));
  ASSERT_TRUE(rivals.watch->failed && !rivals.watch->failed->ok());
  EXPECT_EQ(rivals.watch->failed->error().code, ErrorCode::kCancelled);
}

TEST_P(SecondRequest, KeepsTheTransportUsable) {
  const RawServer server([](RawServer::Connection& c) {
    while (true) {
      const std::string head = c.ReadHead();
      if (head.empty()) return;
      if (head.starts_with("GET /first")) return c.WaitForClose();
      Answer(c);
    }
  });
  const auto transport = testing::MakeTransport(SecondRequest::GetParam(), {});
  for (int i = 0; i < 3; ++i) {
    NotifyingCollector collector;
    Impatient watch(collector, server.endpoint() + "/second");
    ASSERT_TRUE(transport->PerformWatched({.url = server.endpoint() + "/first"}, &collector, watch, {}).ok());
    EXPECT_EQ(collector.body, "second");
    const auto after = transport->Perform({.url = server.endpoint() + "/x"}, nullptr, {});
    ASSERT_TRUE(after.ok());
    EXPECT_EQ(after->body, "second");
  }
}

}  // namespace
}  // namespace gcsflux::internal
