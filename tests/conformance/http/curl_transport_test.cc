#include "http/curl_transport.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

namespace gcsflux::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Accepts one connection on loopback, reads until `end` has arrived, sends `answer` and closes.
class OneAnswer {
 public:
  OneAnswer(std::string end, std::string answer) : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    const bool is_listening =
        bind(listener_, generic, size) == 0 && listen(listener_, 1) == 0 && getsockname(listener_, generic, &size) == 0;
    if (!is_listening) ADD_FAILURE() << "cannot listen on loopback";
    endpoint_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    server_ = std::thread([this, end = std::move(end), answer = std::move(answer)] { Serve(end, answer); });
  }
  ~OneAnswer() { Join(); }

  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

  /// The received bytes, once the connection is over.
  const std::string& Received() {
    Join();
    return received_;
  }

 private:
  void Serve(const std::string& end, const std::string& answer) {
    const int connection = accept(listener_, nullptr, nullptr);
    char buffer[4096];
    while (received_.find(end) == std::string::npos) {
      const ssize_t n = read(connection, buffer, sizeof(buffer));
      if (n <= 0) break;
      received_.append(buffer, static_cast<std::size_t>(n));
    }
    EXPECT_EQ(send(connection, answer.data(), answer.size(), MSG_NOSIGNAL), static_cast<ssize_t>(answer.size()));
    close(connection);
  }

  void Join() {
    if (!server_.joinable()) return;
    shutdown(listener_, SHUT_RDWR);  // Ends accept() if no client connects.
    server_.join();
    close(listener_);
  }

  const int listener_;
  std::string endpoint_;
  std::string received_;
  std::thread server_;
};

const char kOk[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-One:  a \r\nx-one: b\r\n\r\nhi";

TEST(CurlTransport, SendsTheTargetByteForByte) {
  OneAnswer server("\r\n\r\n", kOk);
  CurlTransport transport(server.endpoint(), "");
  const auto response = transport.Send({.method = "GET", .target = "/a/../b//./c%2F%zz?x=[{^}]&y='%20|"});
  ASSERT_TRUE(response) << response.error();
  EXPECT_THAT(server.Received(), ::testing::StartsWith("GET /a/../b//./c%2F%zz?x=[{^}]&y='%20| HTTP/1.1\r\n"));
}

TEST(CurlTransport, AddsNoHeaderThatChangesTheRequest) {
  OneAnswer server("\r\n\r\nbody", kOk);
  CurlTransport transport(server.endpoint(), "");
  ASSERT_TRUE(transport.Send({.method = "PUT", .target = "/", .headers = {{"X-Empty", ""}}, .body = "body"}));
  const std::string& received = server.Received();
  for (const char* header : {"Accept:", "Expect:", "Content-Type:", "Transfer-Encoding:", "Authorization:"}) {
    EXPECT_THAT(received, Not(HasSubstr(header)));
  }
  EXPECT_THAT(received, HasSubstr("\r\nContent-Length: 4\r\n"));
  EXPECT_THAT(received, HasSubstr("\r\nX-Empty:\r\n"));
}

TEST(CurlTransport, SendsAContentLengthForAPostWithoutABody) {
  OneAnswer server("\r\n\r\n", kOk);
  CurlTransport transport(server.endpoint(), "");
  ASSERT_TRUE(transport.Send({.method = "POST", .target = "/"}));
  EXPECT_THAT(server.Received(), HasSubstr("\r\nContent-Length: 0\r\n"));
}

TEST(CurlTransport, SendsNoLengthWithChunkedBodies) {
  OneAnswer server("\r\n0\r\n\r\n", kOk);
  CurlTransport transport(server.endpoint(), "");
  ASSERT_TRUE(transport.Send({.method = "POST", .target = "/", .body = "body", .chunked = true}));
  const std::string& received = server.Received();
  EXPECT_THAT(received, HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_THAT(received, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(received, HasSubstr("\r\n\r\n4\r\nbody\r\n0\r\n\r\n"));
}

TEST(CurlTransport, SendsTheTokenUnlessAuthorizationIsSet) {
  const auto received_for = [](const Request& request) {
    OneAnswer server("\r\n\r\n", kOk);
    CurlTransport transport(server.endpoint(), "t0ken");
    EXPECT_TRUE(transport.Send(request));
    return server.Received();
  };
  EXPECT_THAT(received_for({.method = "GET", .target = "/"}), HasSubstr("\r\nAuthorization: Bearer t0ken\r\n"));
  EXPECT_THAT(received_for({.method = "GET", .target = "/", .anonymous = true}), Not(HasSubstr("t0ken")));
  const std::string with_own =
      received_for({.method = "GET", .target = "/", .headers = {{"authorization", "Bearer other"}}});
  EXPECT_THAT(with_own, HasSubstr("Bearer other"));
  EXPECT_THAT(with_own, Not(HasSubstr("t0ken")));
}

TEST(CurlTransport, ReadsWholeAnswers) {
  OneAnswer server("\r\n\r\n", std::string("HTTP/1.1 100 Continue\r\nX-Early: 1\r\n\r\n") + kOk);
  CurlTransport transport(server.endpoint(), "");
  const auto response = transport.Send({.method = "GET", .target = "/"});
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "hi");
  EXPECT_EQ(FindHeader(response->headers, "X-ONE"), "a, b");
  EXPECT_EQ(FindHeader(response->headers, "X-Early"), std::nullopt);
}

TEST(CurlTransport, DoesNotFollowRedirects) {
  OneAnswer server("\r\n\r\n", "HTTP/1.1 308 x\r\nContent-Length: 0\r\nLocation: http://127.0.0.1:1/\r\n\r\n");
  CurlTransport transport(server.endpoint(), "");
  const auto response = transport.Send({.method = "GET", .target = "/"});
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->status, 308);
}

TEST(CurlTransport, FailsForATruncatedAnswer) {
  OneAnswer server("\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
  CurlTransport transport(server.endpoint(), "");
  const auto response = transport.Send({.method = "GET", .target = "/"});
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error(), ::testing::StartsWith("no complete answer from " + server.endpoint()));
}

TEST(CurlTransport, EndsARequestAtItsTimeLimit) {
  // One byte of the body arrives for each read of the client, without an end.
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_TRUE(bind(listener, generic, size) == 0 && listen(listener, 1) == 0);
  ASSERT_EQ(getsockname(listener, generic, &size), 0);
  std::thread server([listener] {
    const int connection = accept(listener, nullptr, nullptr);
    std::string bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    while (send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0) {
      bytes = "1\r\nx\r\n";
      poll(nullptr, 0, 1);
    }
    close(connection);
  });
  std::chrono::milliseconds left(100);
  CurlTransport transport("http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)), "", [&left] { return left; });
  const auto late = transport.Send({.method = "GET", .target = "/"});
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error(), HasSubstr("timed out"));
  left = std::chrono::milliseconds(0);
  const auto never = transport.Send({.method = "GET", .target = "/"});
  ASSERT_FALSE(never);
  EXPECT_THAT(never.error(), HasSubstr("--case_timeout_s"));
  server.join();
  close(listener);
}

TEST(CurlTransport, EndsAnAnswerWhose100sDoNotEnd) {
  std::string answer;
  for (int i = 0; i < 6000; ++i) answer += "HTTP/1.1 100 Continue\r\n\r\n";
  OneAnswer server("\r\n\r\n", answer + kOk);
  CurlTransport transport(server.endpoint(), "");
  const auto response = transport.Send({.method = "GET", .target = "/"});
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error(), HasSubstr("no complete answer"));
}

TEST(CurlTransport, AsksForTheTokenBeforeEachRequest) {
  OneAnswer server("\r\n\r\n", kOk);
  std::string token = "old";
  CurlTransport transport(server.endpoint(), [&token] { return token; }, {});
  token = "new";
  ASSERT_TRUE(transport.Send({.method = "GET", .target = "/"}));
  EXPECT_THAT(server.Received(), HasSubstr("Authorization: Bearer new\r\n"));
}

}  // namespace
}  // namespace gcsflux::conformance
