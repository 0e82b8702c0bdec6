#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gcsflux/client.h"
#include "wire/bucket_requests.h"
#include "wire/insert_requests.h"
#include "wire/object_requests.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kHost = "http://h:1";

TEST(Requests, EncodeAnObjectsNameAsOneSegment) {
  const auto request = DeleteObjectRequest(kHost, {"bkt", "a/b c?#%\xC3\xA9"}, {});
  EXPECT_EQ(request.method, Method::kDelete);
  EXPECT_EQ(request.url, "http://h:1/storage/v1/b/bkt/o/a%2Fb%20c%3F%23%25%C3%A9");
}

TEST(Requests, SendOnlyTheGivenPreconditions) {
  EXPECT_THAT(InsertObjectRequest(kHost, {"bkt", "o"}, {}, 0, {}).url, ::testing::Not(HasSubstr("ifGeneration")));
  EXPECT_THAT(InsertObjectRequest(kHost, {"bkt", "o"}, {}, 0, {.preconditions = {.if_generation_match = 0}}).url,
              HasSubstr("&ifGenerationMatch=0"));
  EXPECT_EQ(
      DeleteObjectRequest(kHost, {"bkt", "o"}, {.generation = 7, .preconditions = {.if_generation_match = 7}}).url,
      "http://h:1/storage/v1/b/bkt/o/o?generation=7&ifGenerationMatch=7");
}

TEST(Requests, SendPreconditionsBillingProjectAndKmsKey) {
  const auto request = InsertObjectRequest(kHost, {"bkt", "o"}, {}, 0,
                                           {.preconditions = {.if_generation_match = 1,
                                                              .if_generation_not_match = 2,
                                                              .if_metageneration_match = 3,
                                                              .if_metageneration_not_match = 4},
                                            .kms_key_name = "key",
                                            .fields = "etag",
                                            .call = {.user_project = "payer"}});
  EXPECT_EQ(request.url,
            "http://h:1/upload/storage/v1/b/bkt/"
            "o?uploadType=multipart&fields=bucket%2Cname%2Cgeneration%2Cetag%2Csize%2Ccrc32c"
            "&ifGenerationMatch=1&ifGenerationNotMatch=2&ifMetagenerationMatch=3&ifMetagenerationNotMatch=4"
            "&kmsKeyName=key&userProject=payer");
}

TEST(Requests, ChangeOneGenerationsMetadata) {
  const auto patch =
      PatchObjectRequest(kHost, {"bkt", "o"}, {.content_type = ""},
                         {.generation = 5, .preconditions = {.if_metageneration_match = 2}, .fields = "etag"});
  EXPECT_EQ(patch.method, Method::kPatch);
  EXPECT_EQ(patch.url,
            "http://h:1/storage/v1/b/bkt/o/o?fields=bucket%2Cname%2Cgeneration%2Cetag&generation=5"
            "&ifMetagenerationMatch=2");
  EXPECT_EQ(patch.head, R"({"contentType":null})");
  const auto update = UpdateObjectRequest(kHost, {"bkt", "o"}, {.cache_control = "no-store"}, {});
  EXPECT_EQ(update.method, Method::kPut);
  EXPECT_EQ(update.head, R"({"cacheControl":"no-store","contentType":"application/octet-stream"})");
}

TEST(Requests, AskForUniformAccessWithAHierarchicalNamespace) {
  const std::string resource = InsertBucketRequest(kHost, "p", "bkt", {.hierarchical_namespace = true}).head;
  EXPECT_THAT(resource, HasSubstr(R"("hierarchicalNamespace":{"enabled":true})"));
  EXPECT_THAT(resource, HasSubstr(R"("iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true}})"));
  EXPECT_THAT(InsertBucketRequest(kHost, "p", "bkt", {}).head, ::testing::Not(HasSubstr("hierarchical")));
}

TEST(Requests, RequestTheNamedFieldsOfBuckets) {
  EXPECT_EQ(GetBucketRequest(kHost, "bkt",
                             {.preconditions = {.if_metageneration_match = 1, .if_metageneration_not_match = 2},
                              .fields = "location",
                              .call = {.user_project = "payer"}})
                .url,
            "http://h:1/storage/v1/b/bkt?fields=name%2Clocation&ifMetagenerationMatch=1&ifMetagenerationNotMatch=2"
            "&userProject=payer");
  EXPECT_EQ(ListBucketsRequest(kHost, "p", {.fields = "location"}, "t").url,
            "http://h:1/storage/v1/b?project=p&pageToken=t&fields=nextPageToken%2Citems%28name%2Clocation%29");
  EXPECT_EQ(DeleteBucketRequest(kHost, "bkt", {.preconditions = {.if_metageneration_match = 1}}).url,
            "http://h:1/storage/v1/b/bkt?ifMetagenerationMatch=1");
  EXPECT_EQ(TestBucketPermissionsRequest(kHost, "bkt", {"storage.objects.get", "storage.objects.list"}, {}).url,
            "http://h:1/storage/v1/b/bkt/iam/testPermissions?permissions=storage.objects.get"
            "&permissions=storage.objects.list");
}

TEST(Requests, SendDataInAMultipartMessage) {
  const std::string text = "hello";
  const auto request = InsertObjectRequest(kHost, {"bkt", "o"}, AsBytes(text), 0x9A71BB4C,
                                           {.attributes = {.content_type = "text/plain"}});
  EXPECT_THAT(request.url, StartsWith("http://h:1/upload/storage/v1/b/bkt/o?uploadType=multipart"));
  EXPECT_THAT(request.head, HasSubstr(R"("crc32c":"mnG7TA==")"));
  EXPECT_THAT(request.head, HasSubstr("Content-Type: text/plain\r\n\r\n"));
  EXPECT_EQ(static_cast<const void*>(request.payload.data()), text.data());  // Borrowed, not copied.
}

TEST(Requests, RefuseAContentTypeWithAHeader) {
  const auto request = InsertObjectRequest(kHost, {"bkt", "o"}, {}, 0,
                                           {.attributes = {.content_type = "text/plain\r\nX-Evil: 1\r\n\r\nbytes"}});
  EXPECT_THAT(request.head, ::testing::Not(HasSubstr("\nX-Evil")));
}

TEST(Requests, RequestTheRestOfARange) {
  struct Case {
    std::optional<ByteRange> range;
    std::uint64_t skip;
    std::string want;
  };
  const Case cases[] = {
      {std::nullopt, 0, ""},
      {std::nullopt, 5, "bytes=5-"},
      {ByteRange{0, std::nullopt}, 0, ""},
      {ByteRange{10, std::nullopt}, 3, "bytes=13-"},
      {ByteRange{0, 10}, 0, "bytes=0-9"},
      {ByteRange{4096, 100}, 40, "bytes=4136-4195"},
  };
  for (const auto& [range, skip, want] : cases) {
    const auto request = ReadObjectRequest(kHost, {"bkt", "o"}, {.range = range}, skip, std::nullopt);
    std::string got;
    for (const auto& [name, value] : request.headers) {
      if (name == "Range") got = value;
    }
    EXPECT_EQ(got, want);
  }
}

TEST(Requests, PinTheGenerationOfAResumedRead) {
  EXPECT_THAT(ReadObjectRequest(kHost, {"bkt", "o"}, {.generation = 3}, 0, std::nullopt).url,
              HasSubstr("generation=3"));
  EXPECT_THAT(ReadObjectRequest(kHost, {"bkt", "o"}, {}, 1, 9).url, HasSubstr("generation=9"));
}

TEST(Requests, ListWithoutUnrequestedParameters) {
  const auto request = ListObjectsRequest(kHost, {"bkt", "a/b"}, {.max_results = 10});
  EXPECT_THAT(request.url, HasSubstr("&maxResults=10&prefix=a%2Fb"));
  EXPECT_THAT(request.url, ::testing::Not(HasSubstr("delimiter")));
  EXPECT_THAT(request.url, ::testing::Not(HasSubstr("pageToken")));
}

}  // namespace
}  // namespace gcsflux::internal
