#include "wire/copy_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gcsflux::internal {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

constexpr std::string_view kCopyHost = "https://h";
const ObjectName kSource{"from", "a/b"};
const ObjectName kDestination{"to", "c d"};

EncryptionKey KeyOf(char c) {
  const std::string bytes(32, c);
  return *EncryptionKey::FromBytes(std::as_bytes(std::span(bytes)));
}

TEST(ComposeRequest, PinsSourcesAndDestination) {
  const auto request = ComposeObjectsRequest(
      kCopyHost, {{.name = "1", .generation = 7}, {.name = "2", .if_generation_match = 8}}, kDestination,
      {.preconditions = {.if_generation_match = 0, .if_metageneration_match = 1},
       .kms_key_name = "projects/p/key",
       .fields = "size",
       .call = {.user_project = "payer"}});
  EXPECT_EQ(request.url,
            "https://h/storage/v1/b/to/o/c%20d/compose?fields=bucket%2Cname%2Cgeneration%2Csize&ifGenerationMatch=0"
            "&ifMetagenerationMatch=1&kmsKeyName=projects%2Fp%2Fkey&userProject=payer");
  EXPECT_EQ(request.head, R"({"destination":{"contentType":"application/octet-stream","name":"c d"},)"
                          R"("kind":"storage#composeRequest","sourceObjects":[{"generation":"7","name":"1"},)"
                          R"({"name":"2","objectPreconditions":{"ifGenerationMatch":"8"}}]})");
}

TEST(ComposeRequest, SendsOneKeyForSourcesAndDestination) {
  const auto request = ComposeObjectsRequest(kCopyHost, {{"1"}}, kDestination, {.encryption_key = KeyOf('k')});
  EXPECT_THAT(request.headers, Contains(Pair("x-goog-encryption-key-sha256", KeyOf('k').sha256())));
  EXPECT_THAT(request.headers, Not(Contains(Key(HasSubstr("copy-source")))));
}

TEST(CopyRequest, NamesBothObjectsAndTheConditionsOfEach) {
  const auto request = CopyObjectRequest(kCopyHost, kSource, kDestination,
                                         {.source_generation = 5,
                                          .source_preconditions = {.if_generation_match = 5,
                                                                   .if_generation_not_match = 6,
                                                                   .if_metageneration_match = 1,
                                                                   .if_metageneration_not_match = 2},
                                          .preconditions = {.if_generation_match = 0},
                                          .kms_key_name = "k",
                                          .fields = "size"});
  EXPECT_EQ(request.method, Method::kPost);
  EXPECT_EQ(request.url,
            "https://h/storage/v1/b/from/o/a%2Fb/copyTo/b/to/o/c%20d?sourceGeneration=5&ifSourceGenerationMatch=5"
            "&ifSourceGenerationNotMatch=6&ifSourceMetagenerationMatch=1&ifSourceMetagenerationNotMatch=2"
            "&ifGenerationMatch=0&destinationKmsKeyName=k&fields=bucket%2Cname%2Cgeneration%2Csize");
  EXPECT_EQ(request.head, "{}");  // The source's attributes are kept.
}

TEST(RewriteRequest, ContinuesAtItsToken) {
  const CopyObjectOptions options{.max_bytes_per_request = 1 << 20, .fields = "size"};
  EXPECT_EQ(RewriteObjectRequest(kCopyHost, kSource, kDestination, options, "").url,
            "https://h/storage/v1/b/from/o/a%2Fb/rewriteTo/b/to/o/c%20d?maxBytesRewrittenPerCall=1048576&fields=done%2C"
            "objectSize%2CrewriteToken%2CtotalBytesRewritten%2Cresource%28bucket%2Cname%2Cgeneration%2Csize%29");
  EXPECT_THAT(RewriteObjectRequest(kCopyHost, kSource, kDestination, options, "t/1").url,
              HasSubstr("&rewriteToken=t%2F1&"));
}

TEST(RewriteRequest, SendsSeparateKeysForSourceAndDestination) {
  const auto request =
      RewriteObjectRequest(kCopyHost, kSource, kDestination,
                           {.attributes = ObjectAttributes{.content_type = "text/plain", .storage_class = "NEARLINE"},
                            .source_encryption_key = KeyOf('s'),
                            .encryption_key = KeyOf('d')},
                           "");
  EXPECT_THAT(request.headers, Contains(Pair("x-goog-copy-source-encryption-algorithm", "AES256")));
  EXPECT_THAT(request.headers, Contains(Pair("x-goog-copy-source-encryption-key", KeyOf('s').secret_base64())));
  EXPECT_THAT(request.headers, Contains(Pair("x-goog-copy-source-encryption-key-sha256", KeyOf('s').sha256())));
  EXPECT_THAT(request.headers, Contains(Pair("x-goog-encryption-key", KeyOf('d').secret_base64())));
  EXPECT_EQ(request.head, R"({"contentType":"text/plain","storageClass":"NEARLINE"})");
}

}  // namespace
}  // namespace gcsflux::internal
