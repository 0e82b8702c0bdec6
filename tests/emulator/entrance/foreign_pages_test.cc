// Requests of web pages of other sites to an emulator, and those of other clients with any Host.

#include <gtest/gtest.h>

#include <string>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux::emulator {
namespace {

class ForeignPagesTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(Ask("POST", "/storage/v1/b", "Host: h", R"({"name":"bucket"})"), 200); }

  int Ask(const std::string& method, const std::string& target, const std::string& fields,
          const std::string& body = "") {
    RawConnection connection(emulator_.endpoint());
    connection.Send(method + " " + target + " HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
                    fields + "\r\n\r\n" + body);
    return connection.Receive()->status;
  }

  Emulator emulator_{{.allowed_hosts = {"gcs.my-company.com", ".trusted.org"}}};
};

TEST_F(ForeignPagesTest, CanNeitherReadNorWrite) {
  const std::string page = "Host: localhost:9000\r\nOrigin: https://evil.com";
  EXPECT_EQ(Ask("POST", "/_emulator/reset", page), 403);
  EXPECT_EQ(Ask("PUT", "/_emulator/faults", page, "{}"), 403);
  EXPECT_EQ(Ask("POST", "/retry_test", page, "{}"), 403);
  EXPECT_EQ(Ask("DELETE", "/bucket", page), 403);
  EXPECT_EQ(Ask("OPTIONS", "/bucket/o", page + "\r\nAccess-Control-Request-Method: PUT"), 403);
  EXPECT_EQ(Ask("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=o", page, "x"), 403);
  EXPECT_EQ(Ask("GET", "/_emulator/journal", "Host: localhost:9000\r\nSec-Fetch-Site: cross-site"), 403);
  EXPECT_EQ(Ask("GET", "/bucket", "Host: evil.com:9000"), 403);
  EXPECT_EQ(Ask("GET", "/storage/v1/b/bucket", "Host: h"), 200) << "it is still there";
  EXPECT_EQ(Ask("GET", "/storage/v1/b/bucket/o/o", "Host: h"), 404);
}

TEST_F(ForeignPagesTest, AreRecognisedByTheirHost) {
  for (const char* host : {"evil.com", "evil.com.", "EVIL.COM:80", "127.0.0.1.evil.com", "localhost.evil.com",
                           "storage.googleapis.com.evil.com", "evilgoogleapis.com", "a.xn--p1ai", "my-company.com",
                           "trusted.org", "eviltrusted.org", "gcs.my-company.com.evil.net"}) {
    EXPECT_EQ(Ask("GET", "/storage/v1/b", std::string("Host: ") + host), 403) << host;
    EXPECT_EQ(Ask("GET", std::string("http://") + host + "/storage/v1/b", "Host: localhost"), 403) << host;
    EXPECT_EQ(Ask("GET", "/storage/v1/b", std::string("Host: h\r\nOrigin: http://") + host), 403) << host;
  }
  for (const char* origin : {"null", "", "file://", "chrome-extension://abc", "http://h, http://evil.com"}) {
    EXPECT_EQ(Ask("GET", "/storage/v1/b", std::string("Host: h\r\nOrigin: ") + origin), 403) << origin;
  }
}

TEST_F(ForeignPagesTest, ExcludeClientsAndLocalPages) {
  for (const char* host :
       {"127.0.0.1:9000", "10.1.2.3", "[::1]:9000", "localhost", "emulator", "gcs:4443", "gcs.my_network",
        "a.localhost", "host.docker.internal", "gcs.default.svc.cluster.local", "gcs.default.svc", "printer.local",
        "gcs.test", "storage.googleapis.com", "bucket.storage.googleapis.com", "gcs.my-company.com",
        "GCS.My-Company.com:443", "a.b.trusted.org"}) {
    EXPECT_NE(Ask("GET", "/storage/v1/b", std::string("Host: ") + host), 403) << host;
    EXPECT_NE(Ask("GET", "/storage/v1/b", std::string("Host: h\r\nOrigin: https://") + host), 403) << host;
  }
  EXPECT_EQ(Ask("GET", "/storage/v1/b", "Host: h\r\nSec-Fetch-Site: same-origin"), 200);
  EXPECT_EQ(Ask("GET", "/storage/v1/b", "Host: h\r\nSec-Fetch-Site: none"), 200);
  EXPECT_EQ(Ask("GET", "/storage/v1/b", "Host: h\r\nOrigin: http://localhost:3000\r\nSec-Fetch-Site: cross-site"), 200);
}

TEST(ForeignPages, MayBeAllowed) {
  Emulator emulator({.allowed_hosts = {"*"}});
  EXPECT_EQ(RawConnection(emulator.endpoint()).Call("GET", "/storage/v1/b", "Origin: https://evil.com\r\n").status,
            200);
}

}  // namespace
}  // namespace gcsflux::emulator
