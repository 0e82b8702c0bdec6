// Uploads that must fail are answered before they have sent their bytes.

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/support/identity_fixture.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

constexpr auto kMediaPath = "/upload/storage/v1/b/bucket/o?uploadType=media&name=o";

struct Case {
  const char* name;
  std::string method;
  std::string target;
  std::string headers;
  int status;
};

const std::vector<Case>& Refused() {
  static const std::vector<Case> cases = {
      {"no such bucket", "POST", "/upload/storage/v1/b/none/o?uploadType=media&name=o", "", 404},
      {"no such bucket, multipart", "POST", "/upload/storage/v1/b/none/o?uploadType=multipart&name=o", "", 404},
      {"no such bucket, XML", "PUT", "/none/o", "", 404},
      {"no such session", "PUT", "/upload/storage/v1/b/bucket/o?uploadType=resumable&upload_id=none", "", 404},
      {"precondition", "POST", std::string(kMediaPath) + "&ifGenerationMatch=0", "", 412},
      {"negative precondition", "POST", std::string(kMediaPath) + "&ifMetagenerationNotMatch=1", "", 304},
      {"precondition, XML", "PUT", "/bucket/o", "x-goog-if-generation-match: 0\r\n", 412},
      {"no object's name", "POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=a%0A", "", 400},
      {"no method", "POST", "/storage/v1/nothing", "", 404},
  };
  return cases;
}

// A client that fails if its bytes are not accepted.
class Sender : public RawConnection {
 public:
  using RawConnection::RawConnection;

  bool SendsWhole(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
};

class EarlyAnswersTest : public EmulatorTest {
 protected:
  void SetUp() override {
    RawConnection client(endpoint());
    ASSERT_EQ(client.Call("POST", "/storage/v1/b?project=p", "", R"({"name":"bucket"})").status, 200);
    ASSERT_EQ(client.Call("POST", kMediaPath, "", "stored").status, 200);
  }
  static std::string Head(const Case& c, std::uint64_t length) {
    return c.method + " " + c.target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(length) +
           "\r\n" + c.headers + "\r\n";
  }
};

TEST_F(EarlyAnswersTest, PrecedeTheBody) {
  for (const Case& c : Refused()) {
    SCOPED_TRACE(c.name);
    RawConnection connection(endpoint());
    connection.Send(Head(c, 100'000'000) + "only these");
    const std::optional<RawResponse> response = connection.Receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, c.status);
    EXPECT_EQ(response->Header("connection"), "close");
    EXPECT_TRUE(connection.IsClosedByServer());
  }
}

TEST_F(EarlyAnswersTest, ReachAClientThatSendsAllBeforeItReads) {
  const std::string body(20'000'000, 'b');
  for (const Case& c : Refused()) {
    SCOPED_TRACE(c.name);
    Sender connection(endpoint());
    connection.Send(Head(c, body.size()));
    EXPECT_TRUE(connection.SendsWhole(body)) << "a reset, elsewhere than on loopback, could take the answer away";
    const std::optional<RawResponse> response = connection.Receive();
    ASSERT_TRUE(response) << "the connection was reset before the answer was read";
    EXPECT_EQ(response->status, c.status);
  }
}

TEST_F(EarlyAnswersTest, PrecedeChunkedBodies) {
  RawConnection connection(endpoint());
  connection.Send(
      "POST /upload/storage/v1/b/none/o?uploadType=media&name=o HTTP/1.1\r\nHost: localhost\r\n"
      "Transfer-Encoding: chunked\r\n\r\n5\r\nbytes\r\n");
  const std::optional<RawResponse> response = connection.Receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 404);
}

TEST_F(EarlyAnswersTest, FollowTheMetadataOfAMultipartUpload) {
  const std::string begin = "--b\nContent-Type: application/json\n\n{\"name\": \"o\"}\n--b\n\n";
  RawConnection connection(endpoint());
  connection.Send(
      "POST /upload/storage/v1/b/bucket/o?uploadType=multipart&ifGenerationMatch=0 HTTP/1.1\r\n"
      "Host: localhost\r\nContent-Type: multipart/related; boundary=b\r\nContent-Length: 100000000\r\n\r\n" +
      begin + std::string(std::size_t{16} << 10, 'm'));
  const std::optional<RawResponse> response = connection.Receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 412);
}

TEST_F(EarlyAnswersTest, RefuseTooLargeBodies) {
  for (const Case& c : {Case{"media", "POST", kMediaPath, "", 413}, Case{"XML", "PUT", "/bucket/o", "", 400}}) {
    SCOPED_TRACE(c.name);
    RawConnection connection(endpoint());
    connection.Send(Head(c, (std::uint64_t{5} << 40) + (std::uint64_t{3} << 20)));
    const std::optional<RawResponse> response = connection.Receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, c.status);
    EXPECT_NE(response->body.find(c.status == 413 ? "uploadTooLarge" : "EntityTooLarge"), std::string::npos);
  }
}

TEST_F(EarlyAnswersTest, KeepTheConnectionForShortBodies) {
  RawConnection connection(endpoint());
  for (const Case& c : Refused()) {
    EXPECT_EQ(connection.Call(c.method, c.target, c.headers, std::string(60'000, 'b')).status, c.status) << c.name;
  }
  EXPECT_EQ(connection.Call("GET", "/bucket/o").body, "stored");
}

TEST(EarlyAnswers, RefuseUnauthorisedUploads) {
  Emulator emulator(EmulatorOptions{.auth = AuthOptions{.config = IdentityConfigText()}});
  for (const std::string& who : {std::string(), std::string("Authorization: Bearer nonsense\r\n")}) {
    RawConnection connection(emulator.endpoint());
    connection.Send("POST " + std::string(kMediaPath) + " HTTP/1.1\r\nHost: localhost\r\n" + who +
                    "Content-Length: 100000000\r\n\r\n");
    const std::optional<RawResponse> response = connection.Receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 401);
  }
}

}  // namespace
}  // namespace gcsflux::emulator
