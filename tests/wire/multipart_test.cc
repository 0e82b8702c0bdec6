// The XML API's requests and answers, as values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/fails_with.h"
#include "support/result.h"
#include "wire/error_response.h"
#include "wire/multipart_answers.h"
#include "wire/multipart_requests.h"
#include "wire/xml_error.h"

namespace gcsflux::internal {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

const ObjectName kObject{"bkt", "a/../b c"};
const MultipartOptions kOptions{.call = {.user_project = "payer"}};
const MultipartTarget kTarget{"http://h", kObject, "id/1", kOptions};

Result<HttpRequest> Initiate(const ObjectAttributes& attributes) {
  const MultipartOptions options{.attributes = attributes, .kms_key_name = "the/key"};
  return InitiateMultipartRequest({"http://h", kObject, "", options});
}

TEST(MultipartRequests, NameObjectPartAndUpload) {
  const std::string url = "http://h/bkt/a%2F..%2Fb%20c?";
  EXPECT_EQ(InitiateMultipartRequest(kTarget)->url, url + "uploads");
  const auto part = PutPartRequest(kTarget, 7, {}, 0xE3069283);
  EXPECT_EQ(part.url, url + "partNumber=7&uploadId=id%2F1");
  EXPECT_THAT(part.headers, ElementsAre(Pair("x-goog-user-project", "payer"), Pair("x-goog-hash", "crc32c=4waSgw==")));
  EXPECT_EQ(ListPartsRequest(kTarget, 3).url, url + "uploadId=id%2F1&max-parts=1000&part-number-marker=3");
  EXPECT_EQ(AbortMultipartRequest(kTarget).url, url + "uploadId=id%2F1");
  EXPECT_EQ(AbortMultipartRequest(kTarget).method, Method::kDelete);
}

TEST(MultipartRequests, SendAttributesAsHeaders) {
  const auto request =
      Initiate({.content_type = "text/plain", .cache_control = "no-store", .metadata = {{"key", "value"}}});
  ASSERT_TRUE(request.ok());
  EXPECT_THAT(request->headers, Contains(Pair("Content-Type", "text/plain")));
  EXPECT_THAT(request->headers, Contains(Pair("Cache-Control", "no-store")));
  EXPECT_THAT(request->headers, Contains(Pair("x-goog-meta-key", "value")));
  EXPECT_THAT(request->headers, Contains(Pair("x-goog-encryption-kms-key-name", "the/key")));
}

TEST(MultipartRequests, RefuseAttributesThatAHeaderCannotHold) {
  const ObjectAttributes wrong[] = {{.content_type = "a\r\nAuthorization: x"},
                                    {.metadata = {{"k", "caf\xC3\xA9"}}},
                                    {.metadata = {{"k:", "v"}}},
                                    {.metadata = {{"k\n", "v"}}},
                                    {.temporary_hold = true},
                                    {.event_based_hold = true}};
  for (const ObjectAttributes& attributes : wrong) {
    EXPECT_TRUE(testing::FailsWith(Initiate(attributes), ErrorCode::kInvalidArgument));
  }
}

TEST(MultipartRequests, ListThePartsToComplete) {
  const auto request = CompleteMultipartRequest(kTarget, {{1, "\"a\""}, {3, "<&>"}});
  EXPECT_EQ(request.head,
            "<?xml version=\"1.0\"?><CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"a\"</ETag></Part>"
            "<Part><PartNumber>3</PartNumber><ETag>&lt;&amp;&gt;</ETag></Part></CompleteMultipartUpload>");
}

TEST(MultipartAnswers, ContainTheUploadId) {
  EXPECT_EQ(*ParseUploadId("<?xml version='1.0'?><InitiateMultipartUploadResult xmlns='http://s3.amazonaws.com/doc/'>"
                           "<Bucket>b</Bucket><UploadId>x&amp;y</UploadId></InitiateMultipartUploadResult>",
                           {"b", "k"}),
            "x&y");
  for (const char* wrong :
       {"", "<html>", "{}", "<InitiateMultipartUploadResult/>", "<Other><UploadId>x</UploadId></Other>",
        "<InitiateMultipartUploadResult><Bucket>c</Bucket><UploadId>x</UploadId></InitiateMultipartUploadResult>"}) {
    EXPECT_EQ(testing::ErrorOf(ParseUploadId(wrong, {"b", "k"})).code, ErrorCode::kBadResponse) << wrong;
  }
}

TEST(MultipartAnswers, ContainPagesOfParts) {
  const auto page = ParsePartsPage(
      "<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>4</NextPartNumberMarker>"
      "<Part><PartNumber>4</PartNumber><ETag>\"e\"</ETag><Size>5368709120</Size></Part></ListPartsResult>",
      {"b", "k"});
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page->parts, ElementsAre(ListedPart{4, 5'368'709'120, "\"e\""}));
  EXPECT_EQ(page->next, 4);
  EXPECT_EQ(ParsePartsPage("<ListPartsResult/>", {"b", "k"})->next, std::nullopt);
  for (const char* wrong : {"", "<html/>", "<ListPartsResult><Part/></ListPartsResult>",
                            "<ListPartsResult><IsTruncated>true</IsTruncated></ListPartsResult>",
                            "<ListPartsResult><Key>l</Key></ListPartsResult>"}) {
    EXPECT_EQ(testing::ErrorOf(ParsePartsPage(wrong, {"b", "k"})).code, ErrorCode::kBadResponse) << wrong;
  }
}

TEST(MultipartAnswers, ReportAnErrorUnderStatus200) {
  const auto of = [](const char* code) {
    return ParseCompleted({.status = 200, .body = std::string("<Error><Code>") + code + "</Code></Error>"}, {"b", "k"})
        .error()
        .code;
  };
  EXPECT_EQ(of("InternalError"), ErrorCode::kUnavailable);
  EXPECT_EQ(of("SlowDown"), ErrorCode::kRateLimited);
  EXPECT_EQ(of("InvalidPart"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorOf(ParseCompleted({.status = 200, .body = "<html>"}, {"b", "k"})).code,
            ErrorCode::kBadResponse);
  const HttpResponse answer{.status = 200,
                            .headers = {{"x-goog-generation", "17"}},
                            .body = "<CompleteMultipartUploadResult><Key>k</Key></CompleteMultipartUploadResult>"};
  EXPECT_EQ(*ParseCompleted(answer, {"b", "k"}), 17);
  EXPECT_EQ(ParseCompleted(answer, {"b", "l"}).error().code, ErrorCode::kBadResponse);
}

TEST(MultipartAnswers, RefuseAZeroByte) {
  const std::string hidden = std::string(1, '\0') + "<hidden/>";
  const HttpResponse completed{
      .status = 200, .headers = {{"x-goog-generation", "17"}}, .body = "<CompleteMultipartUploadResult/>" + hidden};
  EXPECT_EQ(testing::ErrorOf(ParseCompleted(completed, {"b", "k"})).code, ErrorCode::kBadResponse);
  EXPECT_EQ(testing::ErrorOf(ParsePartsPage("<ListPartsResult/>" + hidden, {"b", "k"})).code, ErrorCode::kBadResponse);
  EXPECT_FALSE(ParseXmlError("<Error><Code>C</Code></Error>" + hidden));
}

TEST(XmlErrors, HaveCodes) {
  struct Case {
    int status;
    const char* code;
    ErrorCode want;
  };
  for (const auto& [status, code, want] :
       {Case{429, "SlowDown", ErrorCode::kRateLimited}, Case{503, "SlowDown", ErrorCode::kRateLimited},
        Case{503, "ServiceUnavailable", ErrorCode::kUnavailable}, Case{500, "InternalError", ErrorCode::kUnavailable},
        Case{400, "BadDigest", ErrorCode::kCorrupted}, Case{400, "EntityTooSmall", ErrorCode::kInvalidArgument},
        Case{403, "AccessDenied", ErrorCode::kPermissionDenied}, Case{404, "NoSuchBucket", ErrorCode::kNotFound},
        Case{412, "PreconditionFailed", ErrorCode::kPreconditionFailed}}) {
    const Error error =
        ErrorFromResponse({.status = status,
                           .body = std::string("<?xml version='1.0' encoding='UTF-8'?><Error><Code>") + code +
                                   "</Code><Message>It is so.</Message><Details>Why.</Details></Error>"});
    EXPECT_EQ(error.code, want) << code;
    EXPECT_EQ(error.reason, code);
    EXPECT_EQ(error.message, std::to_string(status) + " " + code + ": It is so. (Why.)");
  }
}

TEST(XmlErrors, ExcludeHtmlAndEntities) {
  EXPECT_FALSE(ParseXmlError("<html><body>Error</body></html>"));
  EXPECT_FALSE(ParseXmlError("<Error>unclosed"));
  EXPECT_FALSE(ParseXmlError(""));
  const auto error = ParseXmlError(
      "<!DOCTYPE x [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><Error><Code>C</Code><Message>&f;</Message></Error>");
  EXPECT_TRUE(!error || error->message == "&f;");
}

TEST(MultipartAnswers, AreRefusedIfTooLong) {
  std::string parts;
  while (parts.size() < (17U << 20)) parts += "<Part><PartNumber>1</PartNumber><ETag>e</ETag></Part>";
  const ObjectName object{"b", "o"};
  const auto page = [&](const std::string& entries) {
    return ParsePartsPage("<ListPartsResult>" + entries + "</ListPartsResult>", object);
  };
  EXPECT_TRUE(page(parts.substr(0, 53)).ok());
  EXPECT_TRUE(testing::FailsWith(page(parts), ErrorCode::kBadResponse));
}

}  // namespace
}  // namespace gcsflux::internal
