// Each failure of a network or a service has its own code and message, as a caller sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gcsflux/client.h"
#include "support/fails_with.h"
#include "support/raw_server.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::RawServer;
using ::testing::StartsWith;

struct Failing {
  std::string name;
  RawServer::Script script;
  ErrorCode code;
  std::string says;
};

RawServer::Script Sends(std::string answer) {
  return [answer = std::move(answer)](RawServer::Connection& c) {
    c.ReadHead();
    c.Send(answer);
  };
}

std::string Ok(const std::string& headers, const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body;
}

void StandStill(RawServer::Connection& c) {
  c.ReadHead();
  c.WaitForClose();
}

void StandStillInTheBody(RawServer::Connection& c) {
  c.ReadHead();
  c.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
  c.WaitForClose();
}

void Reset(RawServer::Connection& c) {
  c.ReadHead();
  c.Reset();
}

// Until the client closes the connection, or 1 GiB is sent.
RawServer::Script SendsWithoutEnd(int status) {
  return [status](RawServer::Connection& c) {
    c.ReadHead();
    c.Send("HTTP/1.1 " + std::to_string(status) + " Said\r\nConnection: close\r\n\r\n");
    const std::string block(1U << 20, 'x');
    for (int mebibytes = 0; mebibytes < 1024 && c.Send(block); ++mebibytes) continue;
  };
}

std::vector<Failing> Failures() {
  std::string many_headers;
  for (int i = 0; i < 6000; ++i) many_headers += "X-Filler-" + std::to_string(i) + ": " + std::string(64, 'x') + "\r\n";
  return {
      {"reset", &Reset, ErrorCode::kUnavailable, "receiving"},
      {"closed without an answer", Sends(""), ErrorCode::kUnavailable, "nothing"},
      {"silent", &StandStill, ErrorCode::kUnavailable, "no byte moved for too long"},
      {"silent within the body", &StandStillInTheBody, ErrorCode::kUnavailable, "no byte moved for too long"},
      {"a head that breaks", Sends("HTTP/1.1 200 OK\r\nContent-"), ErrorCode::kUnavailable,
       "within the answer's headers"},
      {"a body that breaks", Sends("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), ErrorCode::kTruncated,
       "ended before its announced length"},
      {"too many headers", Sends("HTTP/1.1 200 OK\r\n" + many_headers + "\r\n{}"), ErrorCode::kBadResponse,
       "headers are larger than 256 KiB"},
      {"too long a header", Sends("HTTP/1.1 200 OK\r\nX-Filler: " + std::string(400'000, 'x') + "\r\n\r\n{}"),
       ErrorCode::kBadResponse, "headers is larger than 100 KiB"},
      {"another protocol", Sends("SSH-2.0-OpenSSH_9.2\r\n"), ErrorCode::kBadResponse, "does not speak HTTP"},
      {"HTML for JSON", Sends(Ok("Content-Type: text/html\r\n", "<html>Log in to the hotel's network</html>")),
       ErrorCode::kBadResponse, "<html>Log in"},
      {"rubbish for JSON", Sends(Ok("", "{\"name\": \"bk")), ErrorCode::kBadResponse, "JSON"},
      {"JSON of something else", Sends(Ok("", "[1, 2]")), ErrorCode::kBadResponse, "[1, 2]"},
      {"an HTML error", Sends("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 17\r\n\r\n<html>Gate</html>"),
       ErrorCode::kUnavailable, "502: <html>Gate"},
      {"an answer without end", SendsWithoutEnd(200), ErrorCode::kBadResponse, "larger than 128 MiB"},
      {"an error without end", SendsWithoutEnd(502), ErrorCode::kBadResponse, "larger than 128 MiB"},
      {"a redirect", Sends("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
       ErrorCode::kBadResponse, "302"},
  };
}

Result<BucketMetadata> Get(const std::string& endpoint) {
  const auto client = Client::Create({.endpoint = endpoint,
                                      .credentials = Credentials::Anonymous(),
                                      .retry = RetryPolicies::All({.max_attempts = 1}),
                                      .stall_timeout = std::chrono::seconds(1),
                                      .proxy = ""});
  return client->GetBucket("bkt");
}

TEST(NetworkFailure, HasItsOwnCodeAndMessage) {
  for (const Failing& test : Failures()) {
    const RawServer server(test.script);
    const auto got = Get(server.endpoint());
    ASSERT_FALSE(got.ok()) << test.name;
    EXPECT_EQ(ErrorCodeName(got.error().code), ErrorCodeName(test.code)) << test.name << ": " << got.error().message;
    EXPECT_THAT(got.error().message, AllOf(StartsWith("buckets.get gs://bkt: "), HasSubstr(test.says))) << test.name;
    EXPECT_LE(got.error().message.size(), 700U) << test.name;
    EXPECT_GE(server.connections(), 1) << test.name;
  }
}

TEST(NetworkFailure, NamesTheUnreachableAddress) {
  const std::string gone = testing::RefusingEndpoint();
  const auto refused = Get(gone);
  EXPECT_TRUE(testing::FailsWith(refused, ErrorCode::kUnreachable, HasSubstr(gone.substr(7) + ": connection refused")));
  EXPECT_TRUE(testing::FailsWith(Get("https://no-such-host.invalid"), ErrorCode::kUnreachable,
                                 HasSubstr("no-such-host.invalid:443: the name is not known")));
}

TEST(NetworkFailure, IsNotReportedForASlowAnswer) {
  const std::string answer = Ok("", R"({"name":"bkt","metageneration":"1"})");
  const RawServer server([&](RawServer::Connection& c) {
    c.ReadHead();
    for (const char byte : answer) c.Send({&byte, 1});
  });
  const auto got = Get(server.endpoint());
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got->name, "bkt");
}

}  // namespace
}  // namespace gcsflux
