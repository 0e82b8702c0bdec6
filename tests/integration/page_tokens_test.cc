// Services that list without an end, twice, or backwards: a client that followed them would list without an end, or
// deliver wrong names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/listing.h"
#include "support/circular_service.h"
#include "support/fails_with.h"
#include "support/raw_server.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux {
namespace {

using testing::CircularService;
using ::testing::HasSubstr;

// Each of its pages is this one, with a new token.
class EndlessService {
 public:
  explicit EndlessService(std::string members) : members_(std::move(members)) {}

  [[nodiscard]] Client client() const { return *Client::Create({.endpoint = server_.endpoint(), .project = "p"}); }
  [[nodiscard]] std::size_t requests() const { return requests_; }

 private:
  const std::string members_;
  std::atomic<std::size_t> requests_ = 0;
  testing::RawServer server_{[this](testing::RawServer::Connection& connection) {
    while (!connection.ReadHead().empty()) {
      connection.Send(
          testing::OkAnswer("{" + members_ + R"("nextPageToken":"t)" + std::to_string(requests_++) + R"("})"));
    }
  }};
};

std::string Page(const std::vector<std::string>& names, const std::string& token,
                 const std::vector<std::string>& prefixes = {}) {
  std::string items;
  for (const std::string& name : names) {
    items += (items.empty() ? "" : ",") + (R"({"name":")" + name + R"(","generation":"1","size":"1"})");
  }
  std::string directories;
  for (const std::string& prefix : prefixes) directories += (directories.empty() ? "\"" : ",\"") + prefix + "\"";
  return R"({"items":[)" + items + R"(],"prefixes":[)" + directories + "]" +
         (token.empty() ? "" : R"(,"nextPageToken":")" + token + "\"") + "}";
}

const std::vector<std::vector<std::string>> kCircles = {
    {R"({"nextPageToken":"t"})"},
    {R"({"nextPageToken":"t","items":[{"name":"a/a","generation":"1","size":"1"}]})"},
    {R"({"nextPageToken":"t"})", R"({"nextPageToken":"u"})", R"({"nextPageToken":"v"})"},
    {R"({"nextPageToken":"t","items":[{"name":"a/a","generation":"1","size":"1"}]})",
     R"({"nextPageToken":"u","items":[{"name":"a/b","generation":"1","size":"1"}]})"}};

TEST(PageTokens, EndASequentialListingIfTheyRepeat) {
  for (const auto& circle : kCircles) {
    const CircularService service(circle);
    EXPECT_TRUE(testing::FailsWith(ListPrefix(service.client(), {"my-bucket", "a/"}), ErrorCode::kBadResponse,
                                   HasSubstr("LIST gs://my-bucket/a/: the service")));
    EXPECT_EQ(service.requests(), circle.size() + 1);
  }
}

TEST(PageTokens, EndAParallelListingIfTheyRepeat) {
  for (const auto& circle : kCircles) {
    for (const int max_concurrency : {1, 8}) {
      const CircularService service(circle);
      EXPECT_TRUE(
          testing::FailsWith(ListInParallel(service.client(), {"my-bucket"}, {.max_concurrency = max_concurrency}),
                             ErrorCode::kBadResponse, HasSubstr("LIST gs://my-bucket: the service")));
    }
  }
}

TEST(PageTokens, EndAListingOfBucketsIfTheyRepeat) {
  const CircularService service({R"({"nextPageToken":"t","items":[{"name":"my-bucket"}]})"});
  EXPECT_TRUE(testing::FailsWith(service.client().ListBuckets(), ErrorCode::kBadResponse));
  EXPECT_EQ(service.requests(), 2U);
}

TEST(PagesWithoutNames, EndASequentialListingAfterAThousand) {
  const EndlessService service("");
  EXPECT_TRUE(testing::FailsWith(ListPrefix(service.client(), {"my-bucket", "a/"}), ErrorCode::kBadResponse,
                                 HasSubstr("LIST gs://my-bucket/a/: the service has shown 1000 pages in a row")));
  EXPECT_GE(service.requests(), 1000U);
  EXPECT_LE(service.requests(), 1000U + 5);  // A connection may break, and its request is repeated.
}

TEST(PagesWithoutNames, EndAParallelListingAfterAThousand) {
  for (const int max_concurrency : {1, 8}) {
    const EndlessService service("");
    EXPECT_TRUE(testing::FailsWith(
        ListInParallel(service.client(), {"my-bucket"}, {.max_concurrency = max_concurrency}), ErrorCode::kBadResponse,
        HasSubstr("LIST gs://my-bucket: the service has shown 1000 pages in a row")));
    EXPECT_GE(service.requests(), 1000U);
    EXPECT_LE(service.requests(), 1000U + 7);  // The concurrent requests that sample the names.
  }
}

TEST(PagesWithoutNames, EndAListingOfBucketsAfterAThousand) {
  for (const auto& [members, requests] :
       {std::pair("", 1000U), std::pair(R"("items":[{"name":"my-bucket"}],)", 1001U)}) {
    const EndlessService service(members);
    EXPECT_TRUE(testing::FailsWith(service.client().ListBuckets(), ErrorCode::kBadResponse));
    EXPECT_GE(service.requests(), requests);
    EXPECT_LE(service.requests(), requests + 5);  // A connection may break, and its request is repeated.
  }
}

TEST(PagesWithoutNames, AreAcceptedIfNamesFollow) {
  std::vector<std::string> pages;
  pages.reserve(1000);
  for (int i = 0; i < 999; ++i) pages.push_back(Page({}, "t" + std::to_string(i)));
  pages.push_back(Page({"a"}, ""));
  for (const int max_concurrency : {0, 1}) {
    const CircularService service(pages);
    const auto count = [&]() -> Result<std::size_t> {
      if (max_concurrency == 0) {
        const auto listing = ListPrefix(service.client(), {"my-bucket"});
        return listing ? Result<std::size_t>(listing->objects.size()) : listing.error();
      }
      const auto listing = ListInParallel(service.client(), {"my-bucket"}, {.max_concurrency = max_concurrency});
      return listing ? Result<std::size_t>(listing->objects.size()) : listing.error();
    }();
    ASSERT_TRUE(count.ok()) << count.error().message;
    EXPECT_EQ(*count, 1U);
  }
}

struct Disorder {
  const char* name;
  std::vector<std::string> pages;
  const char* message;
};

const std::vector<Disorder> kDisorders = {
    {"twice in a page", {Page({"a", "b", "b"}, "")}, "lists 'b' twice"},
    {"descending in a page", {Page({"a", "c", "b"}, "")}, "'b' comes after 'c'"},
    {"twice over two pages", {Page({"a", "b"}, "t"), Page({"b", "c"}, "")}, "lists 'b' twice"},
    {"a page that goes back", {Page({"b", "c"}, "t"), Page({"a", "d"}, "")}, "'a' comes after 'c'"},
    {"by another order than that of bytes", {Page({"a", "\xC3\xA4", "b"}, "")}, "'b' comes after '\xC3\xA4'"}};

TEST(NamesOutOfOrder, EndEveryListing) {
  for (const Disorder& disorder : kDisorders) {
    for (const int max_concurrency : {0, 1, 8}) {
      // It is unknown which of several calls receives which page.
      if (max_concurrency > 1 && disorder.pages.size() > 1) continue;
      const CircularService service(disorder.pages);
      Result<void> listed;
      if (max_concurrency == 0) {
        if (auto all = ListPrefix(service.client(), {"my-bucket"}); !all) listed = all.error();
      } else if (auto all = ListInParallel(service.client(), {"my-bucket"}, {.max_concurrency = max_concurrency});
                 !all) {
        listed = all.error();
      }
      ASSERT_FALSE(listed.ok()) << disorder.name << ", max_concurrency " << max_concurrency;
      EXPECT_EQ(listed.error().code, ErrorCode::kBadResponse) << disorder.name;
      EXPECT_THAT(listed.error().message, HasSubstr("LIST gs://my-bucket: the service")) << disorder.name;
      EXPECT_THAT(listed.error().message, HasSubstr(disorder.message)) << disorder.name;
    }
  }
}

TEST(PrefixesOutOfOrder, EndAListingOfOneLevel) {
  const std::vector<Disorder> disorders = {
      {"twice in a page", {Page({}, "", {"a/", "a/"})}, "lists 'a/' twice"},
      {"descending", {Page({}, "", {"b/", "a/"})}, "'a/' comes after 'b/'"},
      {"twice over two pages", {Page({"c"}, "t", {"a/"}), Page({}, "", {"a/"})}, "lists 'a/' twice"}};
  for (const Disorder& disorder : disorders) {
    const CircularService service(disorder.pages);
    EXPECT_TRUE(testing::FailsWith(ListPrefix(service.client(), {"my-bucket"}, {.delimiter = "/"}),
                                   ErrorCode::kBadResponse, HasSubstr(disorder.message)))
        << disorder.name;
  }
}

TEST(PageTokens, EndAListingOfPartsIfTheyRepeat) {
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
  EXPECT_TRUE(testing::FailsWith(upload->ListParts(), ErrorCode::kBadResponse, HasSubstr("one before it")));
}

TEST(PageTokens, EndAListingOfUploadsIfTheyRepeat) {
  const auto page = [](const std::string& id) {
    return "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker>"
           "<NextUploadIdMarker>" +
           id + "</NextUploadIdMarker><Upload><Key>k</Key><UploadId>" + id +
           "</UploadId><Initiated>2026-11-20T06:15:00Z</Initiated></Upload></ListMultipartUploadsResult>";
  };
  const CircularService service({page("a"), page("b")});
  EXPECT_TRUE(testing::FailsWith(ListMultipartUploads(service.client(), {"my-bucket"}), ErrorCode::kBadResponse));
  EXPECT_EQ(service.requests(), 3U);
}

TEST(StepsOfARewrite, EndItAfterAThousandWithoutProgress) {
  const CircularService service({R"({"done":false,"rewriteToken":"t","totalBytesRewritten":"5","objectSize":"9"})"});
  EXPECT_TRUE(testing::FailsWith(service.client().RewriteObject({"my-bucket", "a"}, {"my-bucket", "b"}),
                                 ErrorCode::kBadResponse, HasSubstr("without moving a byte")));
  EXPECT_EQ(service.requests(), 1001U);
}

TEST(StepsOfARewrite, ContinueWhileTheyMoveBytes) {
  std::vector<std::string> steps;
  steps.reserve(1501);
  for (int i = 0; i < 1500; ++i) {
    steps.push_back(R"({"done":false,"rewriteToken":"t","totalBytesRewritten":")" + std::to_string(i / 2) +
                    R"(","objectSize":"9000"})");
  }
  steps.emplace_back(R"({"done":true,"totalBytesRewritten":"9000","objectSize":"9000",
    "resource":{"bucket":"my-bucket","name":"b","generation":"1","size":"9000"}})");
  const CircularService service(steps);
  const auto copied = service.client().RewriteObject({"my-bucket", "a"}, {"my-bucket", "b"});
  ASSERT_TRUE(copied.ok()) << copied.error().message;
  EXPECT_EQ(copied->size, 9000U);
}

TEST(PageTokens, EndAListingOfPartsIfInvalid) {
  const CircularService service(
      {"<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>",
       "<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>10001</NextPartNumberMarker><Part>"
       "<PartNumber>1</PartNumber><ETag>\"e\"</ETag><Size>5</Size></Part></ListPartsResult>"});
  auto upload = MultipartUpload::Start(service.client(), {"my-bucket", "object"});
  ASSERT_TRUE(upload.ok()) << upload.error().message;
  EXPECT_TRUE(testing::FailsWith(upload->ListParts(), ErrorCode::kBadResponse));
}

}  // namespace
}  // namespace gcsflux
