// Objects under customer-supplied keys, against the embedded emulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/upload.h"
#include "support/load_fault.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

EncryptionKey KeyOf(char c) {
  const std::string bytes(32, c);
  return *EncryptionKey::FromBytes(std::as_bytes(std::span(bytes)));
}

class EncryptionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("bkt").ok());
    const auto stored = client_.InsertObject(kObject, AsBytes("secret bytes"), {.encryption_key = kKey});
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    EXPECT_EQ(stored->customer_key_sha256, kKey.sha256());
  }

  const ObjectName kObject{"bkt", "o"};
  const EncryptionKey kKey = KeyOf('k');
  emulator::Emulator emulator_;
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "test"});
};

TEST_F(EncryptionTest, ReadsOnlyWithTheKey) {
  EXPECT_EQ(testing::ValueOf(client_.ReadObject(kObject, {.encryption_key = kKey})), "secret bytes");
  EXPECT_EQ(testing::ValueOf(client_.ReadObject(kObject, {.range = ByteRange{7}, .encryption_key = kKey})), "bytes");
  EXPECT_EQ(testing::ErrorOf(client_.ReadObject(kObject)).code, ErrorCode::kInvalidArgument);
  const auto other = client_.ReadObject(kObject, {.encryption_key = KeyOf('x')});
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, Not(HasSubstr(KeyOf('x').secret_base64())));
}

TEST_F(EncryptionTest, HidesAKeyThatAnAnswerRepeats) {
  const std::string body = "wrong key: " + kKey.secret_base64();
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.get"},
                     {.type = "status", .status = 400, .body = body}, 1);
  const auto read = client_.ReadObject(kObject, {.encryption_key = kKey});
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr("wrong key: [secret]"));
}

TEST_F(EncryptionTest, ShowsTheChecksumOnlyWithTheKey) {
  EXPECT_FALSE(client_.GetObject(kObject)->crc32c.has_value());
  EXPECT_TRUE(client_.GetObject(kObject, {.encryption_key = kKey})->crc32c.has_value());
}

TEST_F(EncryptionTest, ChangesTheKeyByARewrite) {
  const EncryptionKey next = KeyOf('n');
  const auto rewritten =
      client_.RewriteObject(kObject, kObject, {.source_encryption_key = kKey, .encryption_key = next});
  ASSERT_TRUE(rewritten.ok()) << rewritten.error().message;
  EXPECT_EQ(rewritten->customer_key_sha256, next.sha256());
  EXPECT_EQ(testing::ValueOf(client_.ReadObject(kObject, {.encryption_key = next})), "secret bytes");
  ASSERT_TRUE(client_.CopyObject(kObject, {"bkt", "plain"}, {.source_encryption_key = next}).ok());
  EXPECT_EQ(testing::ValueOf(client_.ReadObject({"bkt", "plain"})), "secret bytes");
}

TEST_F(EncryptionTest, UsesOneKeyForACompose) {
  EXPECT_FALSE(client_.ComposeObjects({{"o"}, {"o"}}, {"bkt", "c"}).ok());
  ASSERT_TRUE(client_.ComposeObjects({{"o"}, {"o"}}, {"bkt", "c"}, {.encryption_key = kKey}).ok());
  EXPECT_EQ(testing::ValueOf(client_.ReadObject({"bkt", "c"}, {.encryption_key = kKey})), "secret bytessecret bytes");
}

TEST_F(EncryptionTest, UsesTheKeyForUploadsInOneRequestAndInChunks) {
  const UploadOptions options{.encryption_key = kKey, .chunk_bytes = 256 << 10};
  ASSERT_TRUE(UploadObject(client_, {"bkt", "small"}, AsBytes("small"), options).ok());
  EXPECT_EQ(testing::ValueOf(client_.ReadObject({"bkt", "small"}, {.encryption_key = kKey})), "small");
  const std::string content(1'000'000, 'c');
  ASSERT_TRUE(UploadObject(client_, {"bkt", "large"}, AsBytes(content), options).ok());
  EXPECT_FALSE(client_.ReadObject({"bkt", "large"}).ok());
  EXPECT_TRUE(testing::ValueOf(client_.ReadObject({"bkt", "large"}, {.encryption_key = kKey})) == content);
}

TEST_F(EncryptionTest, ResolvesALostAnswerWithTheKey) {
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.insert"}, {.type = "loseAnswer"}, 1);
  const auto stored =
      UploadObject(client_, {"bkt", "once"}, AsBytes("x"), {.mode = WriteMode::kCreate, .encryption_key = kKey});
  EXPECT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
}

TEST_F(EncryptionTest, SendsAKeyWithoutTlsOnlyToLoopback) {
  const Client client = *Client::Create({.endpoint = "http://emulator.invalid"});
  const auto refused = [](const Error& error) {
    EXPECT_THAT(error.message, HasSubstr("in the clear"));
    return error.code == ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused(testing::ErrorOf(client.ReadObject(kObject, {.encryption_key = kKey}))));
  EXPECT_TRUE(refused(testing::ErrorOf(client.GetObject(kObject, {.encryption_key = kKey}))));
  EXPECT_TRUE(refused(testing::ErrorOf(client.InsertObject(kObject, {}, {.encryption_key = kKey}))));
  EXPECT_TRUE(refused(testing::ErrorOf(client.CopyObject(kObject, kObject, {.source_encryption_key = kKey}))));
  EXPECT_TRUE(refused(testing::ErrorOf(client.RewriteObject(kObject, kObject, {.encryption_key = kKey}))));
  EXPECT_TRUE(refused(testing::ErrorOf(client.ComposeObjects({{"o"}}, kObject, {.encryption_key = kKey}))));
  EXPECT_TRUE(refused(testing::ErrorOf(UploadObject(client, kObject, {}, {.encryption_key = kKey}))));
  EXPECT_TRUE(refused(testing::ErrorOf(ObjectWriter(client, kObject, {.encryption_key = kKey}).Close())));
}

}  // namespace
}  // namespace gcsflux
