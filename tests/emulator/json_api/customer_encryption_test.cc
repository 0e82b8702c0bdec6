// Customer-supplied keys and names of KMS keys, beyond the conformance cases.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

struct Key {
  std::string key;
  std::string sha256;
};

const Key kKey = {"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "PrG9Q5lH63YpmOVmzMLgmceREYsvQFecxPfaK1Bht/k="};
const Key kOther = {"ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=", "S6aKqHZ73nLox5jugtEnUpHOpz5yrXTTXs9I5BOG64I="};

std::string Headers(const Key& key, const std::string& prefix = "x-goog-encryption-") {
  return prefix + "algorithm: AES256\r\n" + prefix + "key: " + key.key + "\r\n" + prefix + "key-sha256: " + key.sha256 +
         "\r\n";
}

std::string SourceHeaders(const Key& key) { return Headers(key, "x-goog-copy-source-encryption-"); }

class CustomerKeyTest : public EmulatorTest {
 protected:
  void SetUp() override { ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bkt"})").status, 200); }

  RawResponse Upload(const std::string& name, const std::string& headers, const std::string& parameters = "") {
    return client_.Call("POST", "/upload/storage/v1/b/bkt/o?uploadType=media&name=" + name + parameters, headers,
                        "content");
  }
  json Metadata(const std::string& name) {
    return json::parse(client_.Call("GET", "/storage/v1/b/bkt/o/" + name).body);
  }
  RawResponse Media(const std::string& name, const std::string& headers = "") {
    return client_.Call("GET", "/storage/v1/b/bkt/o/" + name + "?alt=media", headers);
  }

  RawConnection client_{endpoint()};
};

std::string ReasonOf(const RawResponse& response) {
  return json::parse(response.body).at("error").at("errors").at(0).at("reason");
}

TEST_F(CustomerKeyTest, NeverAppearsInAnAnswer) {
  ASSERT_EQ(Upload("a", Headers(kKey)).status, 200);
  std::vector<std::string> answers;
  for (const std::string& headers : {Headers(kKey), Headers({kKey.key, kOther.sha256}), Headers({"short", "x"})}) {
    const RawResponse response = client_.Call("GET", "/storage/v1/b/bkt/o/a", headers);
    answers.push_back(response.body);
    for (const auto& [name, value] : response.headers) answers.push_back(value);
  }
  answers.push_back(Media("a", Headers(kOther)).body);
  answers.push_back(client_.Call("GET", "/_emulator/journal").body);
  ASSERT_THAT(answers.back(), HasSubstr("/storage/v1/b/bkt/o/a"));
  for (const std::string& answer : answers) {
    EXPECT_THAT(answer, Not(HasSubstr(kKey.key)));
    EXPECT_THAT(answer, Not(HasSubstr(kOther.key)));
  }
}

TEST_F(CustomerKeyTest, IsRefusedWithTheDocumentedReason) {
  struct Case {
    std::string headers;
    const char* want;
  };
  const std::vector<Case> cases = {
      {"x-goog-encryption-key: " + kKey.key + "\r\n", "customerEncryptionAlgorithmIsInvalid"},
      {"x-goog-encryption-algorithm: AES256\r\n", "customerEncryptionKeyFormatIsInvalid"},
      {Headers({"c2hvcnQ=", kKey.sha256}), "customerEncryptionKeyFormatIsInvalid"},
      {Headers({kKey.key, kOther.sha256}), "customerEncryptionKeySha256IsInvalid"},
      {Headers({kKey.key, ""}), "customerEncryptionKeySha256IsInvalid"},
  };
  for (const Case& c : cases) {
    const RawResponse response = Upload("a", c.headers);
    EXPECT_EQ(response.status, 400) << c.headers;
    EXPECT_EQ(ReasonOf(response), c.want) << c.headers;
  }
  EXPECT_EQ(Media("a").status, 404);
}

TEST_F(CustomerKeyTest, IsFixedAtTheStartOfASession) {
  const RawResponse start =
      client_.Call("POST", "/upload/storage/v1/b/bkt/o?uploadType=resumable&name=a", Headers(kKey));
  ASSERT_EQ(start.status, 200);
  const std::string location = start.Header("location");
  const std::string session = location.substr(location.find("/upload/"));
  EXPECT_EQ(ReasonOf(client_.Call("PUT", session, Headers(kOther), "content")), "customerEncryptionKeyIsIncorrect");
  const RawResponse stored = client_.Call("PUT", session, "", "content");
  ASSERT_EQ(stored.status, 200);
  EXPECT_TRUE(json::parse(stored.body).contains("crc32c"));
  EXPECT_EQ(ReasonOf(Media("a")), "resourceIsEncryptedWithCustomerEncryptionKey");
  EXPECT_EQ(Media("a", Headers(kKey)).body, "content");
}

TEST_F(CustomerKeyTest, ComposesOnlyItsOwnObjects) {
  ASSERT_EQ(Upload("under", Headers(kKey)).status, 200);
  ASSERT_EQ(Upload("plain", "").status, 200);
  const std::string body = R"({"sourceObjects":[{"name":"under"},{"name":"plain"}]})";
  const RawResponse with_key = client_.Call("POST", "/storage/v1/b/bkt/o/c/compose", Headers(kKey), body);
  EXPECT_EQ(ReasonOf(with_key), "resourceNotEncryptedWithCustomerEncryptionKey");
  const RawResponse without = client_.Call("POST", "/storage/v1/b/bkt/o/c/compose", "", body);
  EXPECT_EQ(ReasonOf(without), "resourceIsEncryptedWithCustomerEncryptionKey");
  EXPECT_EQ(Media("c").status, 404);
}

TEST_F(CustomerKeyTest, IsChangedByACopyByTheXmlApi) {
  ASSERT_EQ(Upload("a", Headers(kKey)).status, 200);
  const std::string source = "x-goog-copy-source: /bkt/a\r\n";
  EXPECT_EQ(client_.Call("PUT", "/bkt/b", source).status, 400);
  EXPECT_EQ(client_.Call("PUT", "/bkt/b", source + SourceHeaders(kOther)).status, 400);
  ASSERT_EQ(client_.Call("PUT", "/bkt/b", source + SourceHeaders(kKey) + Headers(kOther)).status, 200);
  EXPECT_EQ(client_.Call("HEAD", "/bkt/b").status, 400);
  EXPECT_EQ(client_.Call("HEAD", "/bkt/b", Headers(kOther)).Header("x-goog-encryption-key-sha256"), kOther.sha256);
  ASSERT_EQ(client_.Call("PUT", "/bkt/plain", source + SourceHeaders(kKey)).status, 200);
  EXPECT_EQ(client_.Call("GET", "/bkt/plain").body, "content");
}

TEST_F(CustomerKeyTest, IsRequiredForEveryPartOfAnUpload) {
  const std::string initiated = client_.Call("POST", "/bkt/a?uploads", Headers(kKey)).body;
  const std::size_t begin = initiated.find("<UploadId>") + std::string("<UploadId>").size();
  const std::string id = initiated.substr(begin, initiated.find("</UploadId>") - begin);
  const std::string part = "/bkt/a?partNumber=1&uploadId=" + id;
  EXPECT_THAT(client_.Call("PUT", part, "", "content").body, HasSubstr("ResourceIsEncryptedWithCustomerEncryptionKey"));
  EXPECT_THAT(client_.Call("PUT", part, Headers(kOther), "content").body,
              HasSubstr("CustomerEncryptionKeyIsIncorrect"));
  const RawResponse put = client_.Call("PUT", part, Headers(kKey), "content");
  ASSERT_EQ(put.status, 200);
  const std::string parts = "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>" + put.Header("etag") +
                            "</ETag></Part></CompleteMultipartUpload>";
  ASSERT_EQ(client_.Call("POST", "/bkt/a?uploadId=" + id, "", parts).status, 200);
  EXPECT_EQ(Media("a").status, 400);
  EXPECT_EQ(Media("a", Headers(kKey)).body, "content");
}

TEST_F(CustomerKeyTest, HidesHashesInListings) {
  ASSERT_EQ(Upload("under", Headers(kKey)).status, 200);
  ASSERT_EQ(Upload("plain", "").status, 200);
  const json items = json::parse(client_.Call("GET", "/storage/v1/b/bkt/o").body).at("items");
  EXPECT_TRUE(items.at(0).contains("md5Hash"));
  EXPECT_FALSE(items.at(1).contains("md5Hash"));
  const std::string md5 = "9a0364b9e99bb480dd25e1f0284c8555";  // of "content"
  const std::string xml = client_.Call("GET", "/bkt").body;
  EXPECT_EQ(xml.find(md5), xml.rfind(md5)) << xml;
  EXPECT_NE(xml.find(md5), std::string::npos) << xml;
}

TEST_F(CustomerKeyTest, RemainsWithANoncurrentGeneration) {
  ASSERT_EQ(client_.Call("PATCH", "/storage/v1/b/bkt", "", R"({"versioning":{"enabled":true}})").status, 200);
  const std::string generation = json::parse(Upload("a", Headers(kKey)).body).at("generation");
  ASSERT_EQ(Upload("a", "").status, 200);
  EXPECT_EQ(Media("a").body, "content");
  const std::string target = "/storage/v1/b/bkt/o/a?alt=media&generation=" + generation;
  EXPECT_EQ(ReasonOf(client_.Call("GET", target)), "resourceIsEncryptedWithCustomerEncryptionKey");
  EXPECT_EQ(client_.Call("GET", target, Headers(kKey)).body, "content");
}

TEST_F(CustomerKeyTest, ExcludesAKmsKey) {
  const std::string name = "projects/p/locations/us/keyRings/r/cryptoKeys/k";
  EXPECT_EQ(Upload("a", Headers(kKey), "&kmsKeyName=" + name).status, 400);
  ASSERT_EQ(Upload("a", "", "&kmsKeyName=" + name).status, 200);
  EXPECT_EQ(Metadata("a").at("kmsKeyName"), name);
  EXPECT_TRUE(Metadata("a").contains("crc32c"));
  EXPECT_EQ(Media("a").body, "content");
  EXPECT_EQ(client_.Call("GET", "/bkt/a").Header("x-goog-encryption-kms-key-name"), name);
}

}  // namespace
}  // namespace gcsflux::emulator
