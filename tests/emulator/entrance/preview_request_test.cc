#include "entrance/preview_request.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "emulator/support/text_body.h"

namespace gcsflux::emulator {
namespace {

class RequestPreviewTest : public ::testing::Test {
 protected:
  RequestPreview Preview(std::string method, std::string target,
                         std::vector<std::pair<std::string, std::string>> headers = {}, std::string text = {}) {
    HttpRequest request{.method = std::move(method), .target = std::move(target)};
    for (auto& [name, value] : headers) request.headers.Add(std::move(name), std::move(value));
    TextBody inner(std::move(text), false);
    PeekedBody body(inner);
    return PreviewRequest(request, body, sessions_);
  }
  std::string SessionTarget() {
    const std::string id = *sessions_.Start(PendingObject{.name = "session's"}, std::nullopt);
    return "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=another&upload_id=" + id;
  }

  ResumableSessions sessions_{[] { return Time(); }, 1};
};

TEST_F(RequestPreviewTest, NamesAllObjectsOfAMultiDelete) {
  const RequestPreview preview = Preview("POST", "/bucket?delete", {},
                                         "<Delete><Object><Key>a</Key></Object><Object><Key>b</Key></Object></Delete>");
  EXPECT_EQ(preview.subject.operation, "storage.objects.delete");
  EXPECT_EQ(preview.subject.object, "");
  EXPECT_EQ(preview.deleted, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(Preview("DELETE", "/bucket/a").deleted.empty());
  EXPECT_TRUE(Preview("POST", "/bucket?delete", {}, "<Delete>").deleted.empty());
}

TEST_F(RequestPreviewTest, NamesTheObjectAndRangeOfARead) {
  const RequestPreview preview =
      Preview("GET", "/storage/v1/b/bucket/o/a%2Fb?alt=media",
              {{"Range", "bytes=100-199"}, {"x-goog-api-client", "gccl-invocation-id/abc gccl-attempt-count/3"}});
  EXPECT_EQ(preview.subject.operation, "storage.objects.get");
  EXPECT_EQ(preview.subject.bucket, "bucket");
  EXPECT_EQ(preview.subject.object, "a/b");
  EXPECT_TRUE(preview.is_media_read);
  EXPECT_EQ(preview.range_start, 100U);
  EXPECT_EQ(preview.invocation_id, "abc");
  EXPECT_EQ(preview.attempt, 3);
}

TEST_F(RequestPreviewTest, HasNoStartForASuffix) {
  const RequestPreview preview =
      Preview("GET", "/download/storage/v1/b/bucket/o/a?alt=media", {{"Range", "bytes=-100"}});
  EXPECT_TRUE(preview.is_media_read);
  EXPECT_EQ(preview.range_start, std::nullopt);
}

TEST_F(RequestPreviewTest, DoesNotCountMetadataAsMedia) {
  EXPECT_FALSE(Preview("GET", "/storage/v1/b/bucket/o/a").is_media_read);
}

TEST_F(RequestPreviewTest, FindsTheNameInAnUploadsBody) {
  const std::string body =
      "--b\r\nContent-Type: application/json\r\n\r\n{\"name\": \"in/body\"}\r\n--b\r\nContent-Type: text/plain\r\n\r\n"
      "bytes\r\n--b--";
  const RequestPreview preview = Preview("POST", "/upload/storage/v1/b/bucket/o?uploadType=multipart",
                                         {{"Content-Type", "multipart/related; boundary=b"}}, body);
  EXPECT_EQ(preview.subject.operation, "storage.objects.insert");
  EXPECT_EQ(preview.subject.object, "in/body");
  EXPECT_EQ(preview.media_offset, body.find("bytes"));
}

TEST_F(RequestPreviewTest, FindsTheNameBetweenBareLineFeeds) {
  const std::string body = "--b\nA: b\n\n{\"name\": \"in/body\"}\n--b\n\nbytes\n--b--";
  const RequestPreview preview = Preview("POST", "/upload/storage/v1/b/bucket/o?uploadType=multipart",
                                         {{"Content-Type", "Multipart/Related; Boundary='b'"}}, body);
  EXPECT_EQ(preview.subject.object, "in/body");
  EXPECT_EQ(preview.media_offset, body.find("bytes"));
}

TEST_F(RequestPreviewTest, FindsTheNameInASessionsStart) {
  const RequestPreview preview =
      Preview("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable", {}, R"({"name": "in/body"})");
  EXPECT_EQ(preview.subject.object, "in/body");
  EXPECT_EQ(preview.subject.phase, "start");
}

TEST_F(RequestPreviewTest, PrefersTheNameInTheQuery) {
  const RequestPreview preview =
      Preview("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=query", {}, R"({"name": "body"})");
  EXPECT_EQ(preview.subject.object, "query");
}

TEST_F(RequestPreviewTest, DistinguishesTheRequestsOfASession) {
  struct Case {
    std::string method;
    std::string content_range;
    std::string phase;
    std::optional<std::uint64_t> range_start;
  };
  const std::vector<Case> cases = {{"PUT", "bytes 0-262143/*", "chunk", 0},
                                   {"PUT", "bytes 0-262143/524288", "chunk", 0},
                                   {"PUT", "bytes 262144-524287/524288", "final", 262144},
                                   {"PUT", "bytes 262144-*/*", "final", 262144},
                                   {"PUT", "", "final", std::nullopt},
                                   {"POST", "bytes 0-262143/*", "chunk", 0},
                                   {"PUT", "bytes */*", "status", std::nullopt},
                                   {"PUT", "bytes */524288", "status", std::nullopt},
                                   {"DELETE", "", "cancel", std::nullopt}};
  for (const Case& test : cases) {
    std::vector<std::pair<std::string, std::string>> headers;
    if (!test.content_range.empty()) headers.emplace_back("Content-Range", test.content_range);
    const RequestPreview preview = Preview(test.method, SessionTarget(), headers);
    SCOPED_TRACE(test.method + " " + test.content_range);
    EXPECT_EQ(preview.subject.phase, test.phase);
    EXPECT_EQ(preview.subject.object, "session's");
    EXPECT_EQ(preview.range_start, test.range_start);
  }
}

TEST_F(RequestPreviewTest, ReadsXmlRequests) {
  const RequestPreview read = Preview("GET", "/bucket/a/b", {{"Host", "127.0.0.1"}});
  EXPECT_TRUE(read.is_xml);
  EXPECT_TRUE(read.is_media_read);
  EXPECT_EQ(read.subject.object, "a/b");
  EXPECT_FALSE(Preview("HEAD", "/bucket/a/b", {{"Host", "127.0.0.1"}}).is_media_read);
  const RequestPreview part = Preview("PUT", "/bucket/a?partNumber=2&uploadId=x", {{"Host", "127.0.0.1"}});
  EXPECT_EQ(part.subject.operation, "storage.multipartUploads.create");
  EXPECT_EQ(part.subject.phase, "part");
}

TEST_F(RequestPreviewTest, ReportsUnservedRequestsAsUnknown) {
  for (const char* target : {"/storage/v1/nothing/here", "/storage/v1/b/bucket/o/%ZZ", "/storage/v1/b/bucket/o/%FF"}) {
    EXPECT_EQ(Preview("GET", target).subject.operation, "unknown") << target;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
