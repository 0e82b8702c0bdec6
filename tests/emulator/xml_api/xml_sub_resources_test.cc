// Settings of buckets, access control lists, composition and generations by the XML API.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/xml_api/xml_test.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;

constexpr auto kBucket = "/storage/v1/b/bucket";
constexpr auto kForS3 = "Authorization: AWS KEY:c2lnbmF0dXJl\r\n";

class XmlSubResourcesTest : public XmlTest {
 protected:
  Json Bucket() { return Json::parse(Call("GET", std::string(kBucket) + "?projection=full").body); }
  std::string Read(const std::string& sub_resource) {
    const RawResponse response = Call("GET", "/bucket?" + sub_resource);
    EXPECT_EQ(response.status, 200) << sub_resource;
    return response.body.substr(response.body.find("?>") + 2);
  }
};

TEST_F(XmlSubResourcesTest, SettingsAreThoseOfTheJsonApi) {
  struct Case {
    std::string sub_resource;
    std::string xml;
    std::string setting;
    Json want;
    std::string unset;
  };
  const std::vector<Case> cases = {
      {"cors",
       "<CorsConfig><Cors><Origins><Origin>http://a</Origin><Origin>http://b</Origin></Origins><Methods><Method>GET"
       "</Method></Methods><ResponseHeaders><ResponseHeader>ETag</ResponseHeader></ResponseHeaders><MaxAgeSec>60"
       "</MaxAgeSec></Cors></CorsConfig>",
       "cors",
       {{{"origin", {"http://a", "http://b"}},
         {"method", {"GET"}},
         {"responseHeader", {"ETag"}},
         {"maxAgeSeconds", 60}}},
       "<CorsConfig></CorsConfig>"},
      {"lifecycle",
       "<LifecycleConfiguration><Rule><Action><Delete></Delete></Action><Condition><Age>30</Age><IsLive>false</IsLive>"
       "<MatchesPrefix>a</MatchesPrefix><MatchesPrefix>b</MatchesPrefix></Condition></Rule><Rule><Action>"
       "<SetStorageClass>NEARLINE</SetStorageClass></Action><Condition><CreatedBefore>2026-01-01</CreatedBefore>"
       "</Condition></Rule></LifecycleConfiguration>",
       "lifecycle",
       {{"rule",
         {{{"action", {{"type", "Delete"}}},
           {"condition", {{"age", 30}, {"isLive", false}, {"matchesPrefix", {"a", "b"}}}}},
          {{"action", {{"type", "SetStorageClass"}, {"storageClass", "NEARLINE"}}},
           {"condition", {{"createdBefore", "2026-01-01"}}}}}}},
       "<LifecycleConfiguration></LifecycleConfiguration>"},
      {"logging",
       "<Logging><LogBucket>logs</LogBucket><LogObjectPrefix>p</LogObjectPrefix></Logging>",
       "logging",
       {{"logBucket", "logs"}, {"logObjectPrefix", "p"}},
       "<Logging></Logging>"},
      {"websiteConfig",
       "<WebsiteConfiguration><MainPageSuffix>index.html</MainPageSuffix><NotFoundPage>404.html</NotFoundPage>"
       "</WebsiteConfiguration>",
       "website",
       {{"mainPageSuffix", "index.html"}, {"notFoundPage", "404.html"}},
       "<WebsiteConfiguration></WebsiteConfiguration>"},
      {"encryptionConfig",
       "<EncryptionConfiguration><DefaultKmsKeyName>projects/p/locations/l/keyRings/r/cryptoKeys/k</DefaultKmsKeyName>"
       "</EncryptionConfiguration>",
       "encryption",
       {{"defaultKmsKeyName", "projects/p/locations/l/keyRings/r/cryptoKeys/k"}},
       "<EncryptionConfiguration></EncryptionConfiguration>"},
      {"tagging",
       "<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag><Tag><Key>b</Key><Value></Value></Tag></TagSet></"
       "Tagging>",
       "labels",
       {{"a", "1"}, {"b", ""}},
       "<Tagging><TagSet></TagSet></Tagging>"},
      {"billing",
       "<BillingConfiguration><RequesterPays>Enabled</RequesterPays></BillingConfiguration>",
       "billing",
       {{"requesterPays", true}},
       ""},
      {"storageClass", "<StorageClass>NEARLINE</StorageClass>", "storageClass", "NEARLINE", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.sub_resource);
    const std::string target = "/bucket?" + c.sub_resource;
    const std::string before = Read(c.sub_resource);
    EXPECT_EQ(Outcome("PUT", target, "", c.xml), "200");
    EXPECT_EQ(Bucket().at(c.setting), c.want);
    EXPECT_EQ(Read(c.sub_resource), c.xml);
    if (c.unset.empty()) continue;
    EXPECT_EQ(Outcome("PUT", target, "", c.unset), "200");
    EXPECT_FALSE(Bucket().contains(c.setting));
    EXPECT_EQ(Read(c.sub_resource), before);
  }
}

TEST_F(XmlSubResourcesTest, RefusesSettingsThatCannotBe) {
  const std::string before = Bucket().dump();
  for (const auto& [sub_resource, xml, want] :
       {std::tuple("cors", "<CORSConfiguration><CORSRule/></CORSConfiguration>", "400 MalformedXML"),
        {"cors", "<CorsConfig><Cors><MaxAgeSec>long</MaxAgeSec></Cors></CorsConfig>", "400 MalformedXML"},
        {"lifecycle",
         "<LifecycleConfiguration><Rule><Action><Burn/></Action><Condition><Age>1</Age></Condition></Rule>"
         "</LifecycleConfiguration>",
         "400 InvalidArgument"},
        {"lifecycle", "<LifecycleConfiguration><Rule><ID>1</ID></Rule></LifecycleConfiguration>", "400 MalformedXML"},
        {"logging", "<BucketLoggingStatus/>", "400 MalformedXML"},
        {"storageClass", "<StorageClass>MARBLE</StorageClass>", "400 InvalidArgument"},
        {"billing", "<BillingConfiguration/>", "400 MalformedXML"},
        {"tagging", "<Tagging><TagSet><Tag/></TagSet></Tagging>", "400 MalformedXML"},
        {"acl", "<AccessControlList><Entries><Entry/></Entries></AccessControlList>", "400 MalformedXML"},
        {"acl", "", "400 MalformedXML"}}) {
    EXPECT_EQ(Outcome("PUT", std::string("/bucket?") + sub_resource, "", xml), want) << xml;
  }
  EXPECT_EQ(Outcome("PUT", "/bucket?logging", "x-goog-if-metageneration-match: 7\r\n", "<Logging/>"),
            "412 PreconditionFailed");
  EXPECT_EQ(Outcome("GET", "/none?cors"), "404 NoSuchBucket");
  EXPECT_EQ(Bucket().dump(), before);
}

TEST_F(XmlSubResourcesTest, AccessListsHaveTwoForms) {
  ASSERT_EQ(Call("PUT", "/bucket/o", "", "hello").status, 200);
  const std::string google =
      "<AccessControlList><Entries><Entry><Permission>READ</Permission><Scope type='AllUsers'/></Entry><Entry>"
      "<Permission>FULL_CONTROL</Permission><Scope "
      "type='UserByEmail'><EmailAddress>a@b.c</EmailAddress></Scope></Entry>"
      "</Entries></AccessControlList>";
  for (const char* target : {"/bucket?acl", "/bucket?defaultObjectAcl", "/bucket/o?acl"}) {
    SCOPED_TRACE(target);
    EXPECT_EQ(Outcome("PUT", target, "", google), "200");
    const std::string own = Call("GET", target).body;
    EXPECT_NE(own.find("<Scope type='AllUsers'></Scope>"), std::string::npos) << own;
    EXPECT_NE(own.find("<EmailAddress>a@b.c</EmailAddress>"), std::string::npos) << own;
    const std::string s3 = Call("GET", target, kForS3).body;
    EXPECT_NE(s3.find("<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI>"), std::string::npos) << s3;
    // What is read can be written back.
    EXPECT_EQ(Outcome("PUT", target, kForS3, s3), "200");
    EXPECT_EQ(Call("GET", target).body, own);
  }
  EXPECT_NE(Call("GET", std::string(kBucket) + "/o/o/acl").body.find("allUsers"), std::string::npos);
}

TEST_F(XmlSubResourcesTest, AHeaderNamesAnAccessList) {
  ASSERT_EQ(Call("PUT", "/bucket/o", "", "hello").status, 200);
  EXPECT_EQ(Outcome("PUT", "/bucket/o?acl", "x-amz-acl: public-read\r\n"), "200");
  EXPECT_NE(Call("GET", "/bucket/o?acl").body.find("AllUsers"), std::string::npos);
  EXPECT_EQ(Outcome("PUT", "/bucket/o?acl", "x-goog-acl: private\r\n"), "200");
  EXPECT_EQ(Call("GET", "/bucket/o?acl").body.find("AllUsers"), std::string::npos);
  EXPECT_EQ(Outcome("PUT", "/bucket/o?acl", "x-goog-acl: open\r\n"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("PUT", "/bucket/none?acl", "x-goog-acl: private\r\n"), "404 NoSuchKey");
  Call("PATCH", kBucket, "", R"({"iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true}}})");
  EXPECT_EQ(Outcome("GET", "/bucket?acl"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("PUT", "/bucket/o?acl", "x-goog-acl: private\r\n"), "400 InvalidArgument");
}

TEST_F(XmlSubResourcesTest, ComposesObjects) {
  for (const char* name : {"a", "b"}) ASSERT_EQ(Call("PUT", std::string("/bucket/") + name, "", name).status, 200);
  const std::string generation = Call("HEAD", "/bucket/a").Header("x-goog-generation");
  const auto compose = [&](const std::string& components, const std::string& headers = "") {
    return Outcome("PUT", "/bucket/c?compose", headers, "<ComposeRequest>" + components + "</ComposeRequest>");
  };
  const std::string a = "<Component><Name>a</Name><Generation>" + generation + "</Generation></Component>";
  const std::string b = "<Component><Name>b</Name></Component>";
  EXPECT_EQ(compose(a + b + a, "Content-Type: text/css\r\n"), "200");
  const RawResponse read = Call("GET", "/bucket/c");
  EXPECT_EQ(read.body, "aba");
  EXPECT_EQ(read.Header("content-type"), "text/css");
  EXPECT_EQ(read.Header("x-goog-component-count"), "3");
  EXPECT_EQ(compose(a, "x-goog-if-generation-match: 0\r\n"), "412 PreconditionFailed");
  EXPECT_EQ(compose("<Component><Name>a</Name><IfGenerationMatch>7</IfGenerationMatch></Component>"),
            "412 PreconditionFailed");
  EXPECT_EQ(compose("<Component><Name>none</Name></Component>"), "404 NoSuchKey");
  EXPECT_EQ(compose("<Component></Component>"), "400 MalformedXML");
  EXPECT_EQ(compose("<Component><Name>a</Name><Generation>x</Generation></Component>"), "400 InvalidArgument");
  EXPECT_EQ(compose(""), "400 InvalidArgument");
  std::string many;
  for (int i = 0; i < 33; ++i) many += b;
  EXPECT_EQ(compose(many), "400 InvalidArgument");
}

TEST_F(XmlSubResourcesTest, ListsGenerationsInPages) {
  Call("PATCH", kBucket, "", R"({"versioning":{"enabled":true}})");
  std::vector<std::string> want;
  for (const char* name : {"a", "a", "b/c"}) {
    want.push_back(Call("PUT", std::string("/bucket/") + name, "", "x").Header("x-goog-generation"));
  }
  const std::string all = Call("GET", "/bucket?versions").body;
  EXPECT_EQ(XmlTexts(all, "/ListVersionsResult/Version/VersionId"), want);
  EXPECT_EQ(XmlTexts(all, "//Version/IsLatest"), (std::vector<std::string>{"false", "true", "true"}));
  std::vector<std::string> seen;
  std::string more;
  do {
    const std::string page = Call("GET", "/bucket?versions&max-keys=1" + more).body;
    seen.push_back(XmlText(page, "//Version/VersionId"));
    if (XmlText(page, "//IsTruncated") != "true") break;
    more = "&key-marker=" + XmlText(page, "//NextKeyMarker") +
           "&version-id-marker=" + XmlText(page, "//NextVersionIdMarker");
  } while (seen.size() < 9);
  EXPECT_EQ(seen, want);
  EXPECT_EQ(XmlText(Call("GET", "/bucket?versions&delimiter=%2F").body, "//CommonPrefixes/Prefix"), "b/");
  EXPECT_EQ(Outcome("GET", "/bucket?versions&key-marker=a&version-id-marker=x"), "400 InvalidArgument");
}

TEST_F(XmlSubResourcesTest, AHeaderStartsAResumableUpload) {
  const std::string start = "x-goog-resumable: start\r\n";
  const RawResponse started = Call("POST", "/bucket/a/b", start + "Content-Type: text/css\r\nx-goog-meta-k: v\r\n");
  ASSERT_EQ(started.status, 201);
  const std::string location = started.Header("location");
  const std::string session = location.substr(location.find("/upload/"));
  const std::string chunk(std::size_t{256} << 10, 'x');
  EXPECT_EQ(Call("PUT", session, "Content-Range: bytes 0-262143/*\r\n", chunk).status, 308);
  EXPECT_EQ(Call("PUT", session, "Content-Range: bytes 262144-262146/262147\r\n", "end").status, 200);
  const RawResponse read = Call("GET", "/bucket/a/b");
  EXPECT_EQ(read.body, chunk + "end");
  EXPECT_EQ(read.Header("content-type"), "text/css");
  EXPECT_EQ(read.Header("x-goog-meta-k"), "v");
  const RawResponse second = Call("POST", "/bucket/a/b", start + "x-goog-if-generation-match: 0\r\n");
  const std::string other = second.Header("location");
  EXPECT_EQ(Call("PUT", other.substr(other.find("/upload/")), "", "x").status, 412);
  EXPECT_EQ(Outcome("POST", "/bucket/o", "x-goog-resumable: stop\r\n"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("POST", "/none/o", start), "404 NoSuchBucket");
  EXPECT_EQ(Outcome("POST", "/bucket/o", "", "x"), "405 MethodNotAllowed");
}

}  // namespace
}  // namespace gcsflux::emulator
