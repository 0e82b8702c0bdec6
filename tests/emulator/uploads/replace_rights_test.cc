// A caller that may create objects and not replace them never replaces one, whenever it was stored.

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "emulator/support/crypto_fixtures.h"
#include "emulator/support/identity_fixture.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

class ReplaceRightsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    emulator_.clock().Freeze();
    ASSERT_EQ(Call("POST", "/storage/v1/b", kAdminEmail, json{{"name", "bucket"}}.dump()).status, 200);
  }
  [[nodiscard]] std::string As(const std::string& email) const {
    const std::int64_t now = SecondsOf(emulator_.clock().Now());
    const json claims = {
        {"iss", email}, {"sub", email}, {"iat", now}, {"exp", now + 3600}, {"aud", "https://storage.googleapis.com/"}};
    return "Authorization: Bearer " + SignedJwt({{"alg", "RS256"}, {"kid", "key-1"}}, claims, TestKey(1).private_key) +
           "\r\n";
  }
  RawResponse Call(std::string_view method, std::string_view target, const std::string& who, std::string_view body = "",
                   const std::string& headers = "") {
    return RawConnection(emulator_.endpoint()).Call(method, target, As(who) + headers, body);
  }
  void StoreAsAdmin(const std::string& name) {
    ASSERT_EQ(Call("PUT", "/bucket/" + name, kAdminEmail, "theirs").status, 200);
  }
  std::string Stored(const std::string& name) { return Call("GET", "/bucket/" + name, kAdminEmail).body; }
  std::string PathOf(const std::string& location) { return location.substr(location.find("/upload/")); }

  mutable Emulator emulator_{EmulatorOptions{.auth = AuthOptions{.config = IdentityConfigText()}}};
};

TEST_F(ReplaceRightsTest, AreCheckedWhenASessionEnds) {
  const RawResponse start = Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=o", kCreatorEmail);
  ASSERT_EQ(start.status, 200);
  StoreAsAdmin("o");
  const std::string session = PathOf(start.Header("location"));
  EXPECT_EQ(Call("PUT", session, kCreatorEmail, "mine").status, 403);
  EXPECT_EQ(Stored("o"), "theirs");
  // The session's URI is a credential with the rights of the caller that began it.
  EXPECT_EQ(Call("PUT", session, kAdminEmail, "mine").status, 403);
  EXPECT_EQ(Stored("o"), "theirs");
}

TEST_F(ReplaceRightsTest, AreCheckedWhenASlowUploadEnds) {
  for (const std::string& request :
       {std::string("POST /upload/storage/v1/b/bucket/o?uploadType=media&name=o"), std::string("PUT /bucket/o")}) {
    RawConnection connection(emulator_.endpoint());
    connection.Send(request + " HTTP/1.1\r\nHost: localhost\r\n" + As(kCreatorEmail) + "Expect: 100-continue\r\n" +
                    "Content-Length: 4\r\n\r\n");
    const std::optional<RawResponse> interim = connection.Receive();
    ASSERT_TRUE(interim);
    ASSERT_EQ(interim->status, 100) << "it waits for the bytes";
    StoreAsAdmin("o");
    connection.Send("mine");
    const std::optional<RawResponse> response = connection.Receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 403) << request;
    EXPECT_EQ(Stored("o"), "theirs");
    ASSERT_EQ(Call("DELETE", "/bucket/o", kAdminEmail).status, 204);
  }
}

TEST_F(ReplaceRightsTest, AreCheckedForEveryWrite) {
  StoreAsAdmin("o");
  StoreAsAdmin("source");
  const std::string compose = R"({"sourceObjects": [{"name": "source"}]})";
  const std::string objects = "/storage/v1/b/bucket/o/";
  EXPECT_EQ(Call("POST", objects + "o/compose", kCollectorEmail, compose).status, 403);
  EXPECT_EQ(Call("POST", objects + "source/copyTo/b/bucket/o/o", kCollectorEmail).status, 403);
  EXPECT_EQ(Call("POST", objects + "source/rewriteTo/b/bucket/o/o", kCollectorEmail).status, 403);
  EXPECT_EQ(Call("POST", objects + "source/moveTo/o/o", kCollectorEmail).status, 403);
  EXPECT_EQ(Call("POST", objects + "source/moveTo/o/new", kCollectorEmail).status, 403) << "a move deletes";
  EXPECT_EQ(Call("PUT", "/bucket/o", kCollectorEmail, "", "x-goog-copy-source: /bucket/source\r\n").status, 403);
  EXPECT_EQ(Stored("o"), "theirs");
  EXPECT_EQ(Call("POST", objects + "new/compose", kCollectorEmail, compose).status, 200);
}

TEST_F(ReplaceRightsTest, AreNotCheckedForTheSendersOfASession) {
  const RawResponse start = Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=o", kUserEmail);
  ASSERT_EQ(start.status, 200);
  // A session's URI is enough, for POST and for PUT.
  const RawResponse done =
      RawConnection(emulator_.endpoint()).Call("POST", PathOf(start.Header("location")), "", "mine");
  EXPECT_EQ(done.status, 200) << done.body;
}

}  // namespace
}  // namespace gcsflux::emulator
