// How every request identifies its sender: user agent, invocation and attempt, headers of the application.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/upload.h"
#include "support/load_fault.h"
#include "support/raw_server.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawServer;

// Keeps the heads of received requests, in order.
class Heads {
 public:
  void Add(std::string head) {
    const std::scoped_lock lock(mutex_);
    heads_.push_back(std::move(head));
  }
  [[nodiscard]] std::vector<std::string> all() const {
    const std::scoped_lock lock(mutex_);
    return heads_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> heads_;
};

std::size_t LengthOf(const std::string& head) {
  const auto at = head.find("Content-Length: ");
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
}

// A service that accepts one resumable upload, whose session is at `session`.
RawServer::Script Uploads(Heads& heads, const std::string& session) {
  return [&heads, session](RawServer::Connection& c) {
    while (true) {
      const std::string head = c.ReadHead();
      if (head.empty()) return;
      heads.Add(head);
      c.Read(LengthOf(head));
      if (head.starts_with("POST")) {
        c.Send("HTTP/1.1 200 OK\r\nLocation: " + session + "\r\nContent-Length: 0\r\n\r\n");
      } else if (head.find("bytes 0-262143/*") != std::string::npos) {
        c.Send("HTTP/1.1 308 Resume\r\nRange: bytes=0-262143\r\nContent-Length: 0\r\n\r\n");
      } else {
        const std::string resource =
            R"({"bucket":"bkt","name":"o","generation":"7","metageneration":"1","size":"262145"})";
        c.Send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(resource.size()) + "\r\n\r\n" + resource);
      }
    }
  };
}

Result<ObjectMetadata> Upload(const Client& client) {
  ObjectWriter writer(client, {"bkt", "o"}, {.chunk_bytes = 256U << 10, .path = WritePath::kOneStream});
  if (auto written = writer.Write(AsBytes(std::string((256U << 10) + 1, 'x'))); !written) return written.error();
  return writer.Close();
}

ClientOptions Identified(const std::string& endpoint) {
  return {.endpoint = endpoint,
          .extra_headers = {{"X-Audit", "because"}, {"X-Empty", ""}},
          .user_agent_prefix = "trainer/1.2"};
}

TEST(RequestIdentity, IsOnEveryRequestOfAnUploadSession) {
  Heads heads;
  std::string session;
  const RawServer server([&](RawServer::Connection& c) { Uploads(heads, session)(c); });
  session = server.endpoint() + "/session?upload_id=A";
  const auto stored = Upload(*Client::Create(Identified(server.endpoint())));
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  const auto all = heads.all();
  ASSERT_EQ(all.size(), 3U);
  for (const std::string& head : all) {
    EXPECT_THAT(head, AllOf(HasSubstr("X-Audit: because\r\n"), HasSubstr("X-Empty:\r\n"),
                            HasSubstr("User-Agent: trainer/1.2 gcsflux/"), HasSubstr(" gccl-invocation-id/"),
                            HasSubstr(" gccl-attempt-count/1\r\n")));
  }
}

TEST(RequestIdentity, SendsExtraHeadersOnlyToTheEndpoint) {
  Heads heads;
  Heads heads_of_other;
  const RawServer other([&](RawServer::Connection& c) { Uploads(heads_of_other, "")(c); });
  const RawServer server([&](RawServer::Connection& c) { Uploads(heads, other.endpoint() + "/session")(c); });
  ASSERT_TRUE(Upload(*Client::Create(Identified(server.endpoint()))).ok());
  ASSERT_EQ(heads.all().size(), 1U);
  EXPECT_THAT(heads.all()[0], HasSubstr("X-Audit: because"));
  ASSERT_EQ(heads_of_other.all().size(), 2U);
  for (const std::string& head : heads_of_other.all()) {
    EXPECT_THAT(head, AllOf(Not(HasSubstr("X-Audit")), HasSubstr("User-Agent: trainer/1.2 gcsflux/"),
                            HasSubstr(" gccl-invocation-id/")));
  }
}

TEST(RequestIdentity, ComparesWholeHostNames) {
  Heads heads;
  Heads heads_of_other;
  // The session's URI begins with the endpoint's text, as a user name at another host.
  const RawServer other([&](RawServer::Connection& c) { Uploads(heads_of_other, "")(c); });
  std::string session;
  const RawServer server([&](RawServer::Connection& c) { Uploads(heads, session)(c); });
  session = server.endpoint() + "@" + other.endpoint().substr(7) + "/session";
  EXPECT_EQ(testing::ErrorOf(Upload(*Client::Create(Identified(server.endpoint())))).code, ErrorCode::kBadResponse);
  EXPECT_EQ(heads.all().size(), 1U);
  EXPECT_TRUE(heads_of_other.all().empty());
}

TEST(RequestIdentity, CountsAttemptsUnderOneInvocation) {
  emulator::Emulator emulator;
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .project = "test"});
  ASSERT_TRUE(client.InsertBucket("bkt"));
  testing::LoadFault(emulator, "down", {.operation = "storage.objects.insert", .phase = "chunk"},
                     {.type = "status", .status = 503}, 1);
  ASSERT_TRUE(Upload(client).ok());
  ASSERT_TRUE(client.GetObject({"bkt", "o"}));
  EXPECT_EQ(emulator.faults().Fired("down"), 1U);
  std::set<std::string> ids;
  int repeated = 0;
  for (const auto& record : emulator.journal()) {
    EXPECT_EQ(record.invocation_id.size(), 36U) << record.target;
    EXPECT_GE(record.attempt, 1) << record.target;
    repeated += record.attempt == 2 ? 1 : 0;
    ids.insert(record.invocation_id);
  }
  EXPECT_GE(repeated, 1);
  EXPECT_EQ(ids.size(), 4U) << "the bucket, two chunks, the metadata";
}

}  // namespace
}  // namespace gcsflux
