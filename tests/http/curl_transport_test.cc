// The transport's results for answers and broken connections, over real sockets.
#include "http/curl_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <thread>

#include "support/fails_with.h"
#include "support/loop_transport.h"
#include "support/raw_server.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;
using testing::RawServer;

class CurlTransport : public ::testing::TestWithParam<testing::Driving> {
 protected:
  static std::unique_ptr<Transport> Make(const CurlOptions& options) {
    return testing::MakeTransport(GetParam(), options);
  }
  static Result<HttpResponse> Perform(const HttpRequest& request, const std::stop_token& stop = {}) {
    return Make({.user_agent = "test"})->Perform(request, nullptr, stop);
  }
  static Result<HttpResponse> Get(const std::string& endpoint) { return Perform({.url = endpoint + "/x"}); }
};
GCSFLUX_DRIVEN_BOTH_WAYS(CurlTransport);

TEST_P(CurlTransport, ReadsStatusHeadersAndBody) {
  const RawServer server(
      testing::Answering("HTTP/1.1 308 Odd\r\nX-Mixed-CASE:  value \r\nContent-Length: 4\r\n\r\nbody"));
  const auto response = Get(server.endpoint());
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(response->status, 308);
  EXPECT_EQ(FindHeader(response->headers, "x-mixed-case"), "value");
  EXPECT_EQ(response->body, "body");
}

TEST_P(CurlTransport, SendsTheTargetUnchangedAndAlwaysALength) {
  std::string head;
  const RawServer server([&](RawServer::Connection& c) {
    head = c.ReadHead();
    c.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    c.WaitForClose();
  });
  ASSERT_TRUE(
      Perform({.method = Method::kPost, .url = server.endpoint() + "/a/../b%2Fc//%41", .headers = {{"X-A", "1"}}})
          .ok());
  EXPECT_THAT(head, HasSubstr("POST /a/../b%2Fc//%41 HTTP/1.1\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Length: 0\r\n"));
  EXPECT_THAT(head, HasSubstr("X-A: 1\r\n"));
  EXPECT_THAT(head, HasSubstr("User-Agent: test\r\n"));
  EXPECT_THAT(head, ::testing::Not(HasSubstr("Expect:")));
}

TEST_P(CurlTransport, SendsTheQueryOfAUrlWithoutAPath) {
  std::string head;
  const RawServer server([&](RawServer::Connection& c) {
    head = c.ReadHead();
    c.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    c.WaitForClose();
  });
  const auto transport = Make({.proxy = ""});  // Without a proxy libcurl gets the target as a whole.
  ASSERT_TRUE(transport->Perform({.url = server.endpoint() + "?a=/b"}, nullptr, {}).ok());
  EXPECT_THAT(head, HasSubstr("GET /?a=/b HTTP/1.1\r\n"));
}

TEST_P(CurlTransport, ReusesAConnection) {
  const RawServer server([](RawServer::Connection& c) {
    while (!c.ReadHead().empty()) c.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const auto transport = Make({});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(transport->Perform({.url = server.endpoint() + "/x"}, nullptr, {}).ok());
  EXPECT_EQ(server.connections(), 1);
}

TEST(CurlTransportOfThreads, LimitsIdleConnections) {
  std::latch first_two(2);
  const RawServer server([&](RawServer::Connection& c) {
    for (int i = 0; !c.ReadHead().empty(); ++i) {
      if (i == 0 && !first_two.try_wait()) first_two.arrive_and_wait();
      c.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }
  });
  const auto transport = MakeCurlTransport({.max_idle_connections = 1});
  const auto get = [&] { ASSERT_TRUE(transport->Perform({.url = server.endpoint() + "/x"}, nullptr, {}).ok()); };
  {
    const std::jthread one(get);
    const std::jthread other(get);
  }
  ASSERT_EQ(server.connections(), 2);
  // While the kept connection is in use, another one is needed.
  class Nested : public BodyReceiver {
   public:
    explicit Nested(const std::function<void()>& get) : get_(get) {}
    Result<bool> OnHeaders(const HttpResponse&) override { return true; }
    Result<void> OnBody(std::span<const std::byte>) override {
      get_();
      return {};
    }

   private:
    const std::function<void()> get_;
  } nested(get);
  ASSERT_TRUE(transport->Perform({.url = server.endpoint() + "/x"}, &nested, {}).ok());
  EXPECT_EQ(server.connections(), 3);
}

TEST_P(CurlTransport, IgnoresHeadersOfInformationalAnswers) {
  const RawServer server(testing::Answering(
      "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  const auto response = Get(server.endpoint());
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(FindHeader(response->headers, "x-early"), "");
}

// They arrive after the body: accepted headers must not change then.
TEST_P(CurlTransport, IgnoresTheTrailersOfAChunkedAnswer) {
  for (const char* body : {"4\r\nbody\r\n", ""}) {
    const RawServer server([&](RawServer::Connection& c) {
      while (!c.ReadHead().empty()) {
        c.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-A\r\nX-A: head\r\n\r\n" +
               std::string(body) + "0\r\nX-A: trailer\r\nX-B: trailer\r\n\r\n");
      }
    });
    const auto transport = Make({});
    for (int i = 0; i < 2; ++i) {
      const auto response = transport->Perform({.url = server.endpoint() + "/x"}, nullptr, {});
      ASSERT_TRUE(response.ok()) << response.error().message;
      EXPECT_EQ(response->body, body[0] == '\0' ? "" : "body");
      EXPECT_EQ(FindHeader(response->headers, "x-a"), "head");
      EXPECT_EQ(FindHeader(response->headers, "x-b"), "");
    }
    EXPECT_EQ(server.connections(), 1);
  }
}

TEST_P(CurlTransport, KeepsTheBeginningOfALongFailure) {
  const RawServer server([](RawServer::Connection& c) {
    c.ReadHead();
    c.Send("HTTP/1.1 503 Busy\r\nContent-Length: 5000000\r\n\r\nwords" + std::string(4'999'995, 'x'));
    c.WaitForClose();
  });
  const auto response = Get(server.endpoint());
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(response->status, 503);
  EXPECT_EQ(response->body.size(), 1U << 20);
  EXPECT_EQ(response->body.substr(0, 6), "wordsx");
}

TEST_P(CurlTransport, SendsMutationsOnce) {
  struct Case {
    Method method;
    std::string body;
    int arrivals;
  };
  // libcurl retries by itself on a connection that served before: that is safe for reads, whose answer is the same.
  for (const Case& test : {Case{Method::kGet, "", 2},
                           {Method::kPost, "body", 1},
                           {Method::kPost, "", 1},
                           {Method::kPut, "body", 1},
                           {Method::kPatch, "body", 1},
                           {Method::kDelete, "", 1}}) {
    std::atomic<int> arrivals = 0;
    std::atomic<int> connections = 0;
    // The connection that served one request breaks under the next one, after that has arrived whole.
    const RawServer server([&](RawServer::Connection& c) {
      if (c.ReadHead().empty()) return;  // connected, and then closed
      const bool is_first = ++connections == 1;
      if (!is_first) ++arrivals;
      c.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      if (!is_first || c.ReadHead().empty()) return;
      c.Read(test.body.size());
      ++arrivals;
    });
    const auto transport = Make({});
    ASSERT_TRUE(transport->Perform({.url = server.endpoint()}, nullptr, {}).ok());
    const HttpRequest request{.method = test.method, .url = server.endpoint(), .head = test.body};
    const auto response = transport->Perform(request, nullptr, {});
    EXPECT_EQ(arrivals, test.arrivals);
    EXPECT_EQ(response.ok(), test.arrivals == 2);
    EXPECT_TRUE(response.ok() || response.error().code == ErrorCode::kUnavailable);
  }
}

TEST_P(CurlTransport, RetriesAfterTheRestOfAnEarlierAnswer) {
  const RawServer server([](RawServer::Connection& c) {
    c.ReadHead();
    c.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    if (!c.ReadHead().empty()) c.Send("and so on");
  });
  const auto transport = Make({});
  ASSERT_TRUE(transport->Perform({.url = server.endpoint() + "/x"}, nullptr, {}).ok());
  const auto second = transport->Perform({.url = server.endpoint() + "/x"}, nullptr, {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable) << second.error().message;
  EXPECT_THAT(second.error().message, HasSubstr("out of step"));
}

TEST_P(CurlTransport, FollowsNoRedirect) {
  const RawServer server(
      testing::Answering("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"));
  const auto response = Get(server.endpoint());
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->status, 302);
}

TEST_P(CurlTransport, UsesTheProxyOfTheEnvironmentUnlessForbidden) {
  const RawServer server(testing::Answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  const std::string proxy = testing::RefusingEndpoint();
  setenv("http_proxy", proxy.c_str(), /*overwrite=*/1);
  const auto by_proxy = Perform({.url = server.endpoint() + "/x"});
  const auto direct = Perform({.url = server.endpoint() + "/x", .bypass_proxy = true});
  unsetenv("http_proxy");
  EXPECT_FALSE(by_proxy.ok());
  EXPECT_TRUE(direct.ok()) << direct.error().message;
}

TEST_P(CurlTransport, RefusesHeaderInjection) {
  const RawServer server(testing::Answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  const std::pair<std::string, std::string> wrong[] = {
      {"x-goog-user-project", "hunter2\r\nX-Evil: 1"},
      {"X-A", "hunter2\nX-Evil: 1"},
      {"X-A", "hunter2\r"},
      {"X-A", std::string("hunter2\0b", 9)},
      {"X-A: 1\r\nX-Evil", "hunter2"},
      {"X A", "hunter2"},
      {"", "hunter2"},
  };
  for (const auto& [name, value] : wrong) {
    const auto response = Perform({.url = server.endpoint() + "/x", .headers = {{"X-Good", "1"}, {name, value}}});
    ASSERT_TRUE(testing::FailsWith(response, ErrorCode::kInvalidArgument)) << name << ": " << value;
    EXPECT_EQ(response.error().message.find("hunter2"), std::string::npos) << response.error().message;
  }
  EXPECT_EQ(server.connections(), 0);
  EXPECT_TRUE(Perform({.url = server.endpoint() + "/x", .headers = {{"X-A", "b\tc \xC3\xA9"}, {"X-B", ""}}}).ok());
}

TEST_P(CurlTransport, ReportsARefusedConnection) {
  const std::string endpoint = testing::RefusingEndpoint();
  const auto response = Get(endpoint);
  ASSERT_TRUE(testing::FailsWith(response, ErrorCode::kUnreachable));
  EXPECT_EQ(response.error().message, endpoint.substr(7) + ": connection refused");
}

TEST_P(CurlTransport, ReportsAnUnknownHost) {
  const auto response = Get("http://no-such-host.invalid");
  ASSERT_TRUE(testing::FailsWith(response, ErrorCode::kUnreachable));
  EXPECT_EQ(response.error().message, "no-such-host.invalid:80: the name is not known");
}

TEST_P(CurlTransport, ReportsABrokenAnswer) {
  struct Case {
    std::string name;
    std::string answer;
    bool reset;
    ErrorCode want;
  };
  const Case cases[] = {
      {"reset before an answer", "", true, ErrorCode::kUnavailable},
      {"closed before an answer", "", false, ErrorCode::kUnavailable},
      {"closed in the head", "HTTP/1.1 200 OK\r\nContent-", false, ErrorCode::kUnavailable},
      {"closed in the body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", false, ErrorCode::kTruncated},
      {"no HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n", false, ErrorCode::kBadResponse},
  };
  for (const auto& [name, answer, reset, want] : cases) {
    const RawServer server([&answer = answer, reset = reset](RawServer::Connection& c) {
      c.ReadHead();
      c.Send(answer);
      if (reset) c.Reset();
    });
    const auto response = Get(server.endpoint());
    ASSERT_FALSE(response.ok()) << name;
    EXPECT_EQ(ErrorCodeName(response.error().code), ErrorCodeName(want)) << name << ": " << response.error().message;
    EXPECT_GE(server.connections(), 1) << name;
  }
}

TEST_P(CurlTransport, ReportsAFailedTlsHandshake) {
  const RawServer server([](RawServer::Connection& c) {
    c.Send("this is no TLS\r\n");
    c.WaitForClose();
  });
  EXPECT_TRUE(testing::FailsWith(Get("https://127.0.0.1:" + std::to_string(server.port())), ErrorCode::kTlsFailed));
}

TEST_P(CurlTransport, IsCancelledWhileTheServerIsSilent) {
  std::latch arrived(1);
  const RawServer server([&](RawServer::Connection& c) {
    c.ReadHead();
    arrived.count_down();
    c.WaitForClose();
  });
  std::stop_source stop;
  const std::jthread canceller([&] {
    arrived.wait();
    stop.request_stop();
  });
  EXPECT_TRUE(testing::FailsWith(Perform({.url = server.endpoint() + "/x"}, stop.get_token()), ErrorCode::kCancelled));
}

// Accepts a body byte by byte and refuses it after `limit`.
class Collector : public BodyReceiver {
 public:
  explicit Collector(std::size_t limit) : limit_(limit) {}
  Result<bool> OnHeaders(const HttpResponse& response) override {
    ++heads;
    return response.status == 200;
  }
  Result<void> OnBody(std::span<const std::byte> data) override {
    body.append(reinterpret_cast<const char*>(data.data()), data.size());
    if (body.size() > limit_) return Error{ErrorCode::kLocalIo, "enough"};
    return {};
  }
  int heads = 0;
  std::string body;

 private:
  const std::size_t limit_;
};

TEST_P(CurlTransport, PassesTheBodyToItsReceiver) {
  const RawServer server(testing::Answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
  Collector collector(100);
  const auto response = Make({})->Perform({.url = server.endpoint()}, &collector, {});
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(collector.body, "hello");
  EXPECT_EQ(collector.heads, 1);
  EXPECT_EQ(response->body, "");
}

TEST_P(CurlTransport, PassesHeadersOfAnAnswerWithoutABody) {
  const RawServer server(testing::Answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  Collector collector(100);
  ASSERT_TRUE(Make({})->Perform({.url = server.endpoint()}, &collector, {}).ok());
  EXPECT_EQ(collector.heads, 1);
}

TEST_P(CurlTransport, KeepsABodyThatTheReceiverDeclines) {
  const RawServer server(testing::Answering("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope"));
  Collector collector(100);
  const auto response = Make({})->Perform({.url = server.endpoint()}, &collector, {});
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->body, "nope");
  EXPECT_EQ(collector.body, "");
}

TEST_P(CurlTransport, ReturnsTheReceiversError) {
  const RawServer server([](RawServer::Connection& c) {
    c.ReadHead();
    c.Send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    c.WaitForClose();
  });
  Collector collector(2);
  const auto response = Make({})->Perform({.url = server.endpoint()}, &collector, {});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().message, "enough");
}

}  // namespace
}  // namespace gcsflux::internal
