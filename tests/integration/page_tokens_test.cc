// A service that names a page as the next one that it has shown before: whoever follows it lists for ever.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/listing.h"
#include "gcsflux/multipart_upload.h"
#include "support/raw_server.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;

std::string Answer(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Answers one body after the other, and from the first on again.
class CircularService {
 public:
  explicit CircularService(std::vector<std::string> bodies) : bodies_(std::move(bodies)) {}

  [[nodiscard]] Client client() const { return *Client::Create({.endpoint = server_.endpoint(), .project = "p"}); }
  [[nodiscard]] std::size_t requests() const { return requests_; }

 private:
  const std::vector<std::string> bodies_;
  std::atomic<std::size_t> requests_ = 0;
  testing::RawServer server_{[this](testing::RawServer::Connection& connection) {
    while (!connection.ReadHead().empty()) connection.Send(Answer(bodies_[requests_++ % bodies_.size()]));
  }};
};

const std::vector<std::vector<std::string>> kCircles = {
    {R"({"nextPageToken":"t"})"},
    {R"({"nextPageToken":"t","items":[{"name":"a","generation":"1"}]})"},
    {R"({"nextPageToken":"t"})", R"({"nextPageToken":"u"})", R"({"nextPageToken":"v"})"},
    {R"({"nextPageToken":"t","items":[{"name":"a","generation":"1"}]})",
     R"({"nextPageToken":"u","items":[{"name":"b","generation":"1"}]})"}};

TEST(PageTokens, ThatGoInCirclesEndASequentialListing) {
  for (const auto& circle : kCircles) {
    const CircularService service(circle);
    const auto listing = ListPrefix(service.client(), {"my-bucket", "a/"});
    ASSERT_FALSE(listing.ok());
    EXPECT_EQ(listing.error().code, ErrorCode::kBadResponse);
    EXPECT_THAT(listing.error().message, HasSubstr("LIST gs://my-bucket/a/: the service names a page"));
    EXPECT_EQ(service.requests(), circle.size() + 1);
  }
}

TEST(PageTokens, ThatGoInCirclesEndAParallelListing) {
  for (const auto& circle : kCircles) {
    for (const int parallelism : {1, 8}) {
      const CircularService service(circle);
      const auto listing = ListInParallel(service.client(), {"my-bucket"}, {.parallelism = parallelism});
      ASSERT_FALSE(listing.ok());
      EXPECT_EQ(listing.error().code, ErrorCode::kBadResponse);
      EXPECT_THAT(listing.error().message, HasSubstr("LIST gs://my-bucket: the service names a page"));
    }
  }
}

TEST(PageTokens, ThatGoInCirclesEndAListingOfBuckets) {
  const CircularService service({R"({"nextPageToken":"t","items":[{"name":"my-bucket"}]})"});
  const auto buckets = service.client().ListBuckets();
  ASSERT_FALSE(buckets.ok());
  EXPECT_EQ(buckets.error().code, ErrorCode::kBadResponse);
  EXPECT_EQ(service.requests(), 2U);
}

TEST(PageTokens, OfPartsThatDoNotGoOnEndTheirListing) {
  const std::string part = "<Part><PartNumber>1</PartNumber><ETag>\"e\"</ETag><Size>5</Size></Part>";
  const CircularService service(
      {"<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>",
       "<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>1"
       "</NextPartNumberMarker>" +
           part + "</ListPartsResult>",
       "<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>1"
       "</NextPartNumberMarker>" +
           part + "</ListPartsResult>"});
  auto upload = MultipartUpload::Start(service.client(), {"my-bucket", "object"});
  ASSERT_TRUE(upload.ok()) << upload.error().message;
  const auto parts = upload->ListParts();
  ASSERT_FALSE(parts.ok());
  EXPECT_EQ(parts.error().code, ErrorCode::kBadResponse) << parts.error().message;
  EXPECT_THAT(parts.error().message, HasSubstr("one before it"));
}

}  // namespace
}  // namespace gcsflux
