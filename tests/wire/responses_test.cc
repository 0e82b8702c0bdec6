// Answers to types: metadata, errors and the headers of media answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fails_with.h"
#include "support/result.h"
#include "wire/error_response.h"
#include "wire/metadata_json.h"
#include "wire/read_response.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;

const ObjectName kAsked{"b", "a"};
const ObjectName kDeep{"b", "a/b"};

TEST(ParseObject, ReadsObjectsOfGcs) {
  const auto object = ParseObject(R"({"kind":"storage#object","bucket":"b","name":"a/b","generation":"1700000000000001",
    "metageneration":"2","size":"18446744073709551615","crc32c":"4waSgw==","md5Hash":"x","etag":"e",
    "contentType":"t","storageClass":"NEARLINE","timeCreated":"2026-11-20T06:15:00.5Z","metadata":{"k":"v"}})",
                                  {kDeep});
  ASSERT_TRUE(object.ok()) << object.error().message;
  EXPECT_EQ(object->name, "a/b");
  EXPECT_EQ(object->generation, 1700000000000001);
  EXPECT_EQ(object->size, 18446744073709551615U);
  EXPECT_EQ(object->crc32c, 0xE3069283U);
  EXPECT_EQ(object->storage_class, "NEARLINE");
  EXPECT_EQ(object->metadata.at("k"), "v");
}

TEST(ParseObject, ReadsOptionalFields) {
  const auto object =
      ParseObject(R"({"bucket":"b","name":"a","generation":"1","contentEncoding":"gzip","contentDisposition":"d",
    "contentLanguage":"l","cacheControl":"c","customTime":"1970-01-01T00:00:01Z","eventBasedHold":true,
    "temporaryHold":true,"kmsKeyName":"k","componentCount":32,
    "customerEncryption":{"encryptionAlgorithm":"AES256","keySha256":"s"}})",
                  {kAsked});
  ASSERT_TRUE(object.ok()) << object.error().message;
  EXPECT_EQ(object->content_encoding, "gzip");
  EXPECT_EQ(object->content_disposition, "d");
  EXPECT_EQ(object->content_language, "l");
  EXPECT_EQ(object->cache_control, "c");
  EXPECT_EQ(object->custom_time, std::chrono::system_clock::time_point(std::chrono::seconds(1)));
  EXPECT_TRUE(object->event_based_hold);
  EXPECT_TRUE(object->temporary_hold);
  EXPECT_EQ(object->kms_key_name, "k");
  EXPECT_EQ(object->customer_key_sha256, "s");
  EXPECT_EQ(object->component_count, 32U);
}

TEST(ParseBucket, ReadsSettingsThatAffectCosts) {
  const auto bucket = ParseBucket(R"({"name":"b","metageneration":"3","etag":"e","versioning":{"enabled":true},
    "softDeletePolicy":{"retentionDurationSeconds":"604800"},"retentionPolicy":{"retentionPeriod":"60"},
    "defaultEventBasedHold":true,"encryption":{"defaultKmsKeyName":"k"},"billing":{"requesterPays":true},
    "hierarchicalNamespace":{"enabled":true}})",
                                  "b");
  ASSERT_TRUE(bucket.ok()) << bucket.error().message;
  EXPECT_TRUE(bucket->has_versioning);
  EXPECT_EQ(bucket->soft_delete_retention, std::chrono::hours(7 * 24));
  EXPECT_EQ(bucket->retention_period, std::chrono::minutes(1));
  EXPECT_TRUE(bucket->default_event_based_hold);
  EXPECT_EQ(bucket->default_kms_key_name, "k");
  EXPECT_TRUE(bucket->has_requester_pay);
  EXPECT_TRUE(bucket->has_hierarchical_namespace);
  const auto plain = ParseBucket(R"({"name":"b"})", "b");
  ASSERT_TRUE(plain.ok());
  EXPECT_FALSE(plain->has_versioning || plain->default_event_based_hold || plain->has_requester_pay ||
               plain->has_hierarchical_namespace);
  EXPECT_EQ(plain->soft_delete_retention + plain->retention_period, std::chrono::seconds(0));
  EXPECT_FALSE(ParseBucket(R"({"name":"b","versioning":true})", "b").ok());
  EXPECT_EQ(ParseBucket(R"({"name":"b"})", "c").error().code, ErrorCode::kBadResponse);
}

TEST(ParseRewriteStep, IsDoneOrHasAToken) {
  const auto begun =
      ParseRewriteStep(R"({"done":false,"totalBytesRewritten":"5","objectSize":"9","rewriteToken":"t"})", {kAsked});
  ASSERT_TRUE(begun.ok()) << begun.error().message;
  EXPECT_EQ(begun->progress.bytes, 5U);
  EXPECT_EQ(begun->progress.total, 9U);
  EXPECT_EQ(begun->progress.rewrite_token, "t");
  EXPECT_FALSE(begun->object.has_value());
  const auto done = ParseRewriteStep(
      R"({"done":true,"totalBytesRewritten":"9","objectSize":"9","resource":{"bucket":"b","name":"a","generation":"1"}})",
      {kAsked});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->object->name, "a");
  EXPECT_FALSE(ParseRewriteStep(R"({"done":false,"totalBytesRewritten":"5"})", {kAsked}).ok());
  EXPECT_FALSE(ParseRewriteStep(R"({"done":true})", {kAsked}).ok());
}

TEST(ParsePermissions, ReadsNoneAndSome) {
  EXPECT_TRUE(ParsePermissions("{}")->empty());
  EXPECT_EQ(ParsePermissions(R"({"permissions":["storage.objects.get"]})")->size(), 1U);
  EXPECT_FALSE(ParsePermissions(R"({"permissions":[1]})").ok());
}

TEST(ParseObject, RefusesMalformedObjects) {
  for (const char* text :
       {"", "<html>Bad gateway</html>", "[]", "{}", R"({"bucket":"b","name":"a"})",
        R"({"bucket":"b","name":"a","generation":"x"})", R"({"bucket":"b","name":1,"generation":"1"})",
        R"({"bucket":"b","name":"a","generation":"1","size":"-1"})",
        R"({"bucket":"b","name":"a","generation":"-1","size":"1"})",
        R"({"bucket":"b","name":"a","generation":"1","size":"0","crc32c":"4waSgw=="})",
        R"({"bucket":"b","name":"a","generation":"1","crc32c":"?"})",
        R"({"bucket":"b","name":"a","generation":"1","updated":"yesterday"})",
        R"({"bucket":"b","name":"a","generation":"1","metadata":3})"}) {
    EXPECT_TRUE(testing::FailsWith(ParseObject(text, {kAsked}), ErrorCode::kBadResponse)) << text;
  }
}

TEST(ParseObject, RefusesTrailingBytes) {
  const std::string object = R"({"bucket":"b","name":"a","generation":"5"})";
  ASSERT_TRUE(ParseObject(object, {kAsked}).ok());
  for (const std::string& behind : {std::string(1, '\0'), std::string("\0{}", 3), std::string("{}")}) {
    EXPECT_EQ(testing::ErrorOf(ParseObject(object + behind, {kAsked})).code, ErrorCode::kBadResponse) << behind;
    EXPECT_FALSE(ParseObjectPage(R"({"items":[]})" + behind).ok()) << behind;
  }
}

TEST(ParseObject, RefusesAnObjectWithoutARequestedSize) {
  constexpr char kObject[] = R"({"bucket":"b","name":"a","generation":"5"})";
  EXPECT_TRUE(ParseObject(kObject, {.object = kAsked}).ok());
  EXPECT_EQ(testing::ErrorOf(ParseObject(kObject, {.object = kAsked, .has_size = true})).code, ErrorCode::kBadResponse);
  EXPECT_TRUE(AsksForSize("") && AsksForSize("crc32c,size") && AsksForSize("metadata(a,b),size"));
  for (const char* fields : {"crc32c", "metadata/size", "metadata/batch_size", "metadata(size,a)", "sizes"}) {
    EXPECT_FALSE(AsksForSize(fields)) << fields;
  }
  // Some servers omit zeros; the CRC32C is that of no bytes.
  constexpr char kEmpty[] = R"({"bucket":"b","name":"a","generation":"5","crc32c":"AAAAAA=="})";
  EXPECT_TRUE(ParseObject(kEmpty, {.object = kAsked, .has_size = true}).ok());
  EXPECT_TRUE(ParseObjectPage(R"({"items":[)" + std::string(kEmpty) + "]}").ok());
  constexpr char kStep[] = R"({"done":true,"resource":{"bucket":"b","name":"a","generation":"5"}})";
  EXPECT_FALSE(ParseRewriteStep(kStep, {.object = kAsked, .has_size = true}).ok());
}

TEST(ParseObject, RefusesAnInvalidComponentCount) {
  for (const char* count : {"-1", "1.5", "1e300", "4294967296", "99999999999999999999", "\"2\"", "null", "[]"}) {
    const std::string text =
        R"({"bucket":"b","name":"a","generation":"5","componentCount":)" + std::string(count) + "}";
    EXPECT_EQ(testing::ErrorOf(ParseObject(text, {kAsked})).code, ErrorCode::kBadResponse) << count;
  }
}

TEST(ParseObject, RefusesTextThatExpandsTooMuch) {
  const std::string before = R"({"bucket":"b","name":"a","generation":"5","metadata":)";
  EXPECT_TRUE(ParseObject(before + "{}}", {kAsked}).ok());
  EXPECT_TRUE(ParseObject(before + R"({"k":"\"[[[)" + std::string(100'000, '[') + R"("}})", {kAsked}).ok());
  const std::string deep = std::string(50'000, '[') + std::string(50'000, ']');
  EXPECT_FALSE(ParseObject(before + R"({"k":)" + deep + "}}", {kAsked}).ok());
  std::string many = "[0";
  for (int i = 0; i < 8'000'000; ++i) many += ",0";
  EXPECT_FALSE(ParseObject(before + R"({"k":)" + many + "]}}", {kAsked}).ok());
}

TEST(ParseNothing, AcceptsAnEmptyAnswerAndRefusesOtherServers) {
  for (const char* text : {"", " \r\n", "{}", "null", R"({"kind":"x"})"}) EXPECT_TRUE(ParseNothing(text).ok()) << text;
  for (const std::string& text :
       {std::string("<html>Please log in</html>"), std::string("OK"), std::string("{"), std::string("{}\0<html>", 9)}) {
    EXPECT_EQ(testing::ErrorOf(ParseNothing(text)).code, ErrorCode::kBadResponse) << text;
  }
}

TEST(ParseObject, RefusesAnotherObject) {
  constexpr char kObject[] = R"({"bucket":"b","name":"a","generation":"5"})";
  const ObjectName other_name{"b", "c"};
  const ObjectName other_bucket{"c", "a"};
  EXPECT_TRUE(ParseObject(kObject, {kAsked}).ok());
  EXPECT_TRUE(ParseObject(kObject, {kAsked, 5}).ok());
  EXPECT_EQ(ParseObject(kObject, {kAsked, 4}).error().code, ErrorCode::kBadResponse);
  EXPECT_EQ(ParseObject(kObject, {other_name}).error().code, ErrorCode::kBadResponse);
  EXPECT_EQ(ParseObject(kObject, {other_bucket}).error().code, ErrorCode::kBadResponse);
  EXPECT_EQ(ParseObject(R"({"name":"a","generation":"5"})", {kAsked}).error().code, ErrorCode::kBadResponse);
}

TEST(ParseObject, QuotesAtMost256Bytes) {
  const auto object = ParseObject(std::string(100'000, 'x'), {kAsked});
  ASSERT_FALSE(object.ok());
  EXPECT_LT(object.error().message.size(), 400U);
}

TEST(ParseObjectPage, ReadsItemsPrefixesAndToken) {
  const auto page =
      ParseObjectPage(R"({"items":[{"name":"a","generation":"1","size":"1"},{"name":"b","generation":"2","size":"0"}],)"
                      R"("prefixes":["c/"],"nextPageToken":"t"})");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->objects.size(), 2U);
  EXPECT_EQ(page->prefixes, std::vector<std::string>{"c/"});
  EXPECT_EQ(page->next_page_token, "t");
  EXPECT_TRUE(ParseObjectPage("{}").ok());
  EXPECT_FALSE(ParseObjectPage(R"({"items":[{"name":"a"}]})").ok());
  EXPECT_FALSE(ParseObjectPage(R"({"prefixes":[1]})").ok());
}

std::string ErrorBody(int code, const std::string& reason) {
  return R"({"error":{"code":)" + std::to_string(code) + R"(,"message":"words","errors":[{"reason":")" + reason +
         R"("}]}})";
}

TEST(ErrorFromResponse, MapsStatusAndReason) {
  struct Case {
    int status;
    ErrorCode want;
    std::string reason;
  };
  const Case cases[] = {
      {304, ErrorCode::kNotModified, ""},
      {400, ErrorCode::kInvalidArgument, "invalid"},
      {401, ErrorCode::kUnauthenticated, "required"},
      {403, ErrorCode::kPermissionDenied, "forbidden"},
      {403, ErrorCode::kRateLimited, "rateLimitExceeded"},
      {403, ErrorCode::kRateLimited, "userRateLimitExceeded"},
      {404, ErrorCode::kNotFound, "notFound"},
      {408, ErrorCode::kUnavailable, ""},
      {409, ErrorCode::kAlreadyExists, "conflict"},
      {409, ErrorCode::kBucketNotEmpty, "BucketNotEmpty"},
      {412, ErrorCode::kPreconditionFailed, "conditionNotMet"},
      {416, ErrorCode::kOutOfRange, "requestedRangeNotSatisfiable"},
      {429, ErrorCode::kRateLimited, "rateLimitExceeded"},
      {500, ErrorCode::kUnavailable, ""},
      {501, ErrorCode::kBadResponse, ""},
      {502, ErrorCode::kUnavailable, ""},
      {503, ErrorCode::kUnavailable, ""},
      {504, ErrorCode::kUnavailable, ""},
  };
  for (const auto& [status, want, reason] : cases) {
    const Error error = ErrorFromResponse({.status = status, .body = ErrorBody(status, reason)});
    EXPECT_EQ(error.code, want) << status << " " << reason << " gave " << ErrorCodeName(error.code);
    EXPECT_EQ(error.http_status, status);
    EXPECT_EQ(error.reason, reason);
    EXPECT_THAT(error.message, HasSubstr("words"));
  }
}

TEST(ErrorFromResponse, RecognisesACorruptedUpload) {
  const std::string body =
      R"({"error":{"code":400,"message":"Provided CRC32C \"x\" doesn't match calculated CRC32C \"y\"."}})";
  EXPECT_EQ(ErrorFromResponse({.status = 400, .body = body}).code, ErrorCode::kCorrupted);
}

TEST(ErrorFromResponse, ReadsRetryAfterOnlyInWholeSeconds) {
  struct Case {
    std::string text;
    std::optional<std::chrono::seconds> want;
  };
  const Case cases[] = {{"7", std::chrono::seconds(7)},
                        {"0", std::chrono::seconds(0)},
                        {"", std::nullopt},
                        {"7 days", std::nullopt},
                        {"-1", std::nullopt},
                        {"1.5", std::nullopt},
                        {"Wed, 21 Oct 2026 07:28:00 GMT", {}},
                        {"99999999999", std::nullopt}};
  for (const Case& test : cases) {
    EXPECT_EQ(ErrorFromResponse({.status = 503, .headers = {{"retry-after", test.text}}}).retry_after, test.want)
        << "'" << test.text << "'";
  }
}

TEST(ErrorFromResponse, AcceptsAnyBody) {
  for (const std::string& body : {std::string(), std::string("<html>"), std::string("{\"error\":3}"),
                                  std::string("{\"error\":{\"errors\":[3]}}"), std::string(100'000, 'x')}) {
    const Error error = ErrorFromResponse({.status = 503, .body = body});
    EXPECT_EQ(error.code, ErrorCode::kUnavailable);
    EXPECT_LT(error.message.size(), 400U);
  }
}

TEST(ErrorFromResponse, TruncatesMessagesAndRemovesControlCharacters) {
  const std::string large(100'000, 'x');
  const std::string json = R"({"error":{"message":")" + large + R"(","errors":[{"reason":")" + large + R"("}]}})";
  const std::string xml = "<Error><Code>" + large + "</Code><Message>" + large + "</Message></Error>";
  for (const std::string& body : {json, xml}) {
    EXPECT_LT(ErrorFromResponse({.status = 503, .body = body}).message.size(), 2'000U) << body.substr(0, 20);
  }
  EXPECT_EQ(ErrorFromResponse({.status = 502, .body = "<h1>\n\x1b[2JBad\x7F"}).message, "502: <h1>  [2JBad ");
  EXPECT_EQ(ErrorFromResponse({.status = 503, .body = R"({"error":{"message":"a\u001bb"}})"}).message, "503: a b");
  std::string cut = "502: " + std::string(255, 'x');
  EXPECT_EQ(ErrorFromResponse({.status = 502, .body = std::string(255, 'x') + "\u00E9t\u00E9"}).message, cut)
      << "a character of two bytes is not split";
}

TEST(ParseReadResponse, FindsPlaceSizeGenerationAndChecksum) {
  const auto whole = ParseReadResponse(
      {.status = 200,
       .headers = {{"x-goog-generation", "5"}, {"content-length", "10"}, {"x-goog-hash", "md5=q,crc32c=4waSgw=="}}});
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->offset, 0U);
  EXPECT_EQ(whole->object_size, 10U);
  EXPECT_EQ(whole->generation, 5);
  EXPECT_EQ(whole->crc32c, 0xE3069283U);

  const auto part = ParseReadResponse({.status = 206,
                                       .headers = {{"x-goog-generation", "5"},
                                                   {"content-range", "bytes 4-9/100"},
                                                   {"x-goog-hash", "crc32c=4waSgw=="},
                                                   {"x-goog-hash", "md5=q"}}});
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->offset, 4U);
  EXPECT_EQ(part->object_size, 100U);
  EXPECT_EQ(part->crc32c, 0xE3069283U);
}

TEST(ParseReadResponse, UsesTheHttpEncodingByDefault) {
  const auto is_gzip = [](const Headers& more) -> std::optional<bool> {
    Headers headers = {{"x-goog-generation", "5"}, {"content-length", "10"}};
    headers.Append(more);
    const auto info = ParseReadResponse({.status = 200, .headers = headers});
    return info ? std::optional(info->is_gzip) : std::nullopt;
  };
  EXPECT_EQ(is_gzip({}), false);
  EXPECT_EQ(is_gzip({{"content-encoding", "gzip"}}), true);
  EXPECT_EQ(is_gzip({{"x-goog-stored-content-encoding", "gzip"}}), true);
  EXPECT_EQ(is_gzip({{"x-goog-stored-content-encoding", "gzip"}, {"content-encoding", "gzip"}}), true);
  EXPECT_EQ(is_gzip({{"x-goog-stored-content-encoding", "identity"}, {"content-encoding", "identity"}}), false);
  EXPECT_EQ(is_gzip({{"x-goog-stored-content-encoding", "identity"}, {"x-goog-stored-content-encoding", "gzip"}}),
            std::nullopt);
}

TEST(ParseReadResponse, RefusesABodyCompressedByAProxy) {
  Headers headers = {{"x-goog-generation", "5"},
                     {"content-range", "bytes 4-9/100"},
                     {"x-goog-stored-content-encoding", "identity"},
                     {"content-encoding", "gzip"}};
  EXPECT_EQ(testing::ErrorOf(ParseReadResponse({.status = 206, .headers = headers})).code, ErrorCode::kBadResponse);
}

TEST(FindCrc32c, FindsOneOrNone) {
  const auto of = [](const Headers& headers) { return FindCrc32c(headers); };
  EXPECT_EQ(*of({{"x-goog-hash", "crc32c=4waSgw==,md5=q"}, {"x-goog-hash", "crc32c=4waSgw=="}}), 0xE3069283U);
  EXPECT_EQ(*of({{"x-goog-hash", "md5=q , crc32c=4waSgw=="}}), 0xE3069283U);
  EXPECT_EQ(*of({{"x-goog-hash", "md5=q"}, {"x-goog-hash", ""}, {"other", "crc32c=?"}}), std::nullopt);
  for (const char* wrong : {"crc32c=", "crc32c=4waSgw", "crc32c", "banana", "crc32c=4waSgw==,crc32c=AAAAAA=="}) {
    EXPECT_TRUE(testing::FailsWith(of({{"x-goog-hash", wrong}}), ErrorCode::kBadResponse)) << wrong;
  }
  EXPECT_FALSE(of({{"x-goog-hash", "crc32c=4waSgw=="}, {"x-goog-hash", "crc32c=AAAAAA=="}}).ok());
}

TEST(ParseReadResponse, RefusesContradictoryHeaders) {
  const Headers whole = {{"x-goog-generation", "5"}, {"x-goog-stored-content-length", "10"}};
  const Headers part = {{"x-goog-generation", "5"}, {"content-range", "bytes 4-9/100"}};
  for (const auto& [name, other] : {std::pair("x-goog-generation", "6"), {"x-goog-stored-content-length", "11"}}) {
    Headers headers = whole;
    headers.emplace_back(headers[name == std::string("x-goog-generation") ? 0 : 1]);
    EXPECT_TRUE(ParseReadResponse({.status = 200, .headers = headers}).ok()) << name << " twice, the same";
    headers.emplace_back(name, other);
    EXPECT_FALSE(ParseReadResponse({.status = 200, .headers = headers}).ok()) << name;
  }
  Headers headers = part;
  headers.emplace_back("content-range", "bytes 4-9/101");
  EXPECT_FALSE(ParseReadResponse({.status = 206, .headers = headers}).ok());
}

TEST(ParseReadResponse, RefusesAnswersThatAreNotFromGcs) {
  const Headers generation = {{"x-goog-generation", "5"}};
  EXPECT_EQ(testing::ErrorOf(ParseReadResponse({.status = 200, .headers = {{"content-length", "1"}}})).code,
            ErrorCode::kBadResponse);
  EXPECT_FALSE(ParseReadResponse({.status = 200, .headers = generation}).ok());
  for (const char* range : {"", "bytes 4-9", "bytes */9", "4-9/100", "bytes a-9/100", "bytes 4-9/*", "bytes 4-3/100",
                            "bytes 4-9/9", "bytes 4-b/100"}) {
    Headers headers = generation;
    headers.emplace_back("content-range", range);
    EXPECT_FALSE(ParseReadResponse({.status = 206, .headers = headers}).ok()) << range;
  }
}

}  // namespace
}  // namespace gcsflux::internal
