// JSON and XML that nest far deeper than the stack. Every route that has a body refuses them, and the emulator keeps
// running.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "support/concatenated.h"
#include "support/repeated.h"

namespace gcsflux::emulator {
namespace {

using testing::Repeated;

constexpr int kDepth = 200'000;  // by recursion 20 MiB of stack or more

// Deep in lists, deep in objects, and deep within a field that is read.
std::vector<std::string> DeepBodies() {
  const std::string lists = Repeated("[", kDepth) + Repeated("]", kDepth);
  const std::string objects = Repeated(R"({"a":)", kDepth) + "1" + Repeated("}", kDepth);
  std::vector<std::string> bodies = {lists, objects};
  for (const char* field : {"instructions", "labels", "lifecycle", "metadata", "sourceObjects", "rules", "bucket"}) {
    bodies.push_back(R"({"name":"new",")" + std::string(field) + "\":" + lists + "}");
    bodies.push_back(R"({"name":"new",")" + std::string(field) + "\":" + objects + "}");
  }
  return bodies;
}

struct Route {
  std::string method;
  std::string target;
  std::string headers = {};
  std::string before = {};  // the JSON, and after it
  std::string after = {};
};

class NestedJsonTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
    ASSERT_EQ(client_.Call("POST", kUploads + "?uploadType=media&name=old", "", "old").status, 200);
  }

  const std::string kUploads = "/upload/storage/v1/b/bucket/o";
  Emulator emulator_{{.seed_root = "/"}};
  RawConnection client_{emulator_.endpoint()};
};

TEST_F(NestedJsonTest, IsRefusedByEveryRoute) {
  const std::string multipart = "Content-Type: multipart/related; boundary=zz\r\n";
  const std::string part = "--zz\r\nContent-Type: application/json\r\n\r\n";
  const std::vector<Route> routes = {
      {"POST", "/retry_test"},
      {"POST", "/_emulator/seed"},
      {"PUT", "/_emulator/faults"},
      {"PUT", "/_emulator/shaping"},
      {"PUT", "/_emulator/quotas"},
      {"PUT", "/_emulator/idempotency"},
      {"POST", "/storage/v1/b"},
      {"PATCH", "/storage/v1/b/bucket"},
      {"PUT", "/storage/v1/b/bucket"},
      {"POST", kUploads + "?uploadType=resumable&name=new"},
      {"POST", kUploads + "?uploadType=multipart&name=new", multipart, part, "\r\n--zz\r\n\r\nbytes\r\n--zz--\r\n"},
      {"PATCH", "/storage/v1/b/bucket/o/old"},
      {"PUT", "/storage/v1/b/bucket/o/old"},
      {"POST", "/storage/v1/b/bucket/o/new/compose"},
      {"POST", "/storage/v1/b/bucket/o/old/copyTo/b/bucket/o/new"},
      {"POST", "/storage/v1/b/bucket/o/old/rewriteTo/b/bucket/o/new"},
  };
  const std::vector<std::string> bodies = DeepBodies();
  for (const auto& [method, target, headers, before, after] : routes) {
    for (const std::string& body : bodies) {
      const RawResponse response = client_.Call(method, target, headers, testing::Concatenated({before, body, after}));
      EXPECT_EQ(response.status, 400) << method << " " << target << " " << body.substr(0, 40);
    }
  }
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/old?alt=media").body, "old");
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/new").status, 404);
}

TEST_F(NestedJsonTest, IsRefusedWithTheReason) {
  const std::string deep = R"({"name":"new","labels":)" + Repeated("[", 101) + Repeated("]", 101) + "}";
  EXPECT_NE(client_.Call("POST", "/storage/v1/b", "", deep).body.find("nests deeper than 100 levels"),
            std::string::npos);
  const std::string many = R"({"name":"new","labels":[)" + Repeated("1,", 200'000) + "1]}";
  EXPECT_NE(client_.Call("POST", "/storage/v1/b", "", many).body.find("more than 100000 values"), std::string::npos);
}

TEST_F(NestedJsonTest, SurvivesDeepXml) {
  const std::string upload = client_.Call("POST", "/bucket/new?uploads").body;
  const std::size_t id = upload.find("<UploadId>") + 10;
  const std::string xml = Repeated("<a>", kDepth) + Repeated("</a>", kDepth);
  const std::vector<Route> routes = {
      {"PUT", "/new-bucket", "", "<CreateBucketConfiguration>", "</CreateBucketConfiguration>"},
      {"POST", "/bucket?delete", "", "<Delete><Object><Key>", "</Key></Object></Delete>"},
      {"PUT", "/bucket?versioning", "", "<VersioningConfiguration>", "</VersioningConfiguration>"},
      {"POST", "/bucket/new?uploadId=" + upload.substr(id, upload.find('<', id) - id), "",
       "<CompleteMultipartUpload><Part>", "</Part></CompleteMultipartUpload>"},
  };
  for (const auto& [method, target, headers, before, after] : routes) {
    EXPECT_NE(client_.Call(method, target, headers, testing::Concatenated({before, xml, after})).status, 500) << target;
    EXPECT_EQ(client_.Call(method, target, headers, before + Repeated("<a>", kDepth)).status, 400) << target;
  }
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/old?alt=media").body, "old");
}

}  // namespace
}  // namespace gcsflux::emulator
