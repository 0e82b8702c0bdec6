// Uploads by forms of web pages, and their policy documents.

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "emulator/xml_api/xml_test.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;
using Fields = std::vector<std::pair<std::string, std::string>>;

class FormPostTest : public XmlTest {
 protected:
  RawResponse Post(const Fields& fields, const std::string& file = "content") {
    std::string body;
    for (const auto& [name, value] : fields) {
      body += "--zz\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
    }
    body +=
        "--zz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"photo.jpg\"\r\nContent-Type: image/jpeg"
        "\r\n\r\n" +
        file + "\r\n--zz\r\nContent-Disposition: form-data; name=\"late\"\r\n\r\nx\r\n--zz--\r\n";
    return Call("POST", "/bucket", "Content-Type: multipart/form-data; boundary=zz\r\n", body);
  }
  std::string OutcomeOfPost(const Fields& fields, const std::string& file = "content") {
    return OutcomeOf(Post(fields, file));
  }
  // A policy document that is valid for an hour.
  std::string Policy(const Json& conditions) {
    const auto end = emulator().clock().Now() + std::chrono::hours(1);
    const std::time_t seconds = std::chrono::system_clock::to_time_t(end);
    std::tm parts = {};
    char time[32];
    (void)std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", ::gmtime_r(&seconds, &parts));
    const std::string text = Json{{"expiration", time}, {"conditions", conditions}}.dump();
    std::string encoded(4 * ((text.size() + 2) / 3), '\0');
    (void)::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                            reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    return encoded;
  }
};

TEST_F(FormPostTest, StoresTheFileUnderItsKey) {
  const RawResponse response =
      Post({{"key", "dir/${filename}"}, {"x-goog-meta-k", "v"}, {"Cache-Control", "no-store"}});
  EXPECT_EQ(response.status, 204);
  const RawResponse read = Call("GET", "/bucket/dir/photo.jpg");
  EXPECT_EQ(read.body, "content");
  EXPECT_EQ(read.Header("content-type"), "image/jpeg");
  EXPECT_EQ(read.Header("x-goog-meta-k"), "v");
  EXPECT_EQ(read.Header("cache-control"), "no-store");
}

TEST_F(FormPostTest, AnswersAsItsFieldsSay) {
  EXPECT_EQ(OutcomeOfPost({{"key", "a"}, {"success_action_status", "200"}}), "200");
  const RawResponse created = Post({{"key", "a b"}, {"success_action_status", "201"}});
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(XmlText(created.body, "/PostResponse/Key"), "a b");
  const RawResponse redirect = Post({{"key", "a/b"}, {"success_action_redirect", "http://page.example/?x=1"}});
  EXPECT_EQ(redirect.status, 303);
  EXPECT_EQ(redirect.Header("location").substr(0, 56), "http://page.example/?x=1&bucket=bucket&key=a%2Fb&etag=%2");
}

TEST_F(FormPostTest, RefusesFormsThatAreNone) {
  EXPECT_EQ(OutcomeOfPost({}), "400 InvalidArgument") << "no key";
  EXPECT_EQ(OutcomeOfPost({{"key", "a"}, {"bucket", "other"}}), "400 InvalidArgument");
  EXPECT_EQ(OutcomeOfPost({{"key", "a"}, {"acl", "open"}}), "400 InvalidArgument");
  EXPECT_EQ(OutcomeOfPost({{"key", "a"}, {"x-goog-storage-class", "WARM"}}), "400 InvalidStorageClass");
  EXPECT_EQ(Outcome("POST", "/bucket", "Content-Type: text/plain\r\n", "x"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("POST", "/bucket", "Content-Type: multipart/form-data; boundary=zz\r\n", "--zz--\r\n"),
            "400 InvalidArgument");
  EXPECT_EQ(Outcome("POST", "/none", "Content-Type: multipart/form-data; boundary=zz\r\n", "--zz--\r\n"),
            "404 NoSuchBucket");
}

TEST_F(FormPostTest, FulfilsItsPolicyDocument) {
  const std::string refused = "400 InvalidPolicyDocument";
  struct Case {
    Json conditions;
    Fields fields;
    std::string file;
    std::string want;
  };
  const Json key = Json::array({"starts-with", "$key", "user/"});
  const std::vector<Case> cases = {
      {{key}, {{"key", "user/a"}}, "x", "204"},
      {{key}, {{"key", "other/a"}}, "x", refused},
      {{key, {{"bucket", "bucket"}}}, {{"key", "user/a"}}, "x", "204"},
      {{key, {{"bucket", "other"}}}, {{"key", "user/a"}}, "x", refused},
      {{key}, {{"key", "user/a"}, {"Cache-Control", "no-store"}}, "x", refused},
      {{key, {"eq", "$cache-control", "no-store"}}, {{"key", "user/a"}, {"Cache-Control", "no-store"}}, "x", "204"},
      {{key, {"eq", "$Cache-Control", "no-store"}}, {{"key", "user/a"}}, "x", refused},
      {{key}, {{"key", "user/a"}, {"x-ignore-button", "send"}}, "x", "204"},
      {{key, {"content-length-range", 2, 3}}, {{"key", "user/a"}}, "xyz", "204"},
      {{key, {"content-length-range", 2, 3}}, {{"key", "user/a"}}, "x", refused},
      {{key, {"content-length-range", 2, 3}}, {{"key", "user/a"}}, "wxyz", refused},
      {{key, {"ends-with", "$key", "a"}}, {{"key", "user/a"}}, "x", refused},
  };
  for (const Case& c : cases) {
    Fields fields = c.fields;
    fields.emplace_back("policy", Policy(c.conditions));
    EXPECT_EQ(OutcomeOfPost(fields, c.file), c.want) << c.conditions << " " << c.file;
  }
  EXPECT_EQ(OutcomeOfPost({{"key", "a"}, {"policy", "!"}}), refused);
  const Fields fields = {{"key", "user/a"}, {"policy", Policy(Json::array({key}))}};
  EXPECT_EQ(OutcomeOfPost(fields), "204");
  emulator().clock().Advance(std::chrono::minutes(61));
  EXPECT_EQ(OutcomeOfPost(fields), refused);
}

}  // namespace
}  // namespace gcsflux::emulator
