// Null pointers are the caller's error, reported before a request is sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/upload.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;

template <class T>
void ExpectRefused(const Result<T>& result) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(ErrorCodeName(result.error().code), "INVALID_ARGUMENT") << result.error().message;
  EXPECT_THAT(result.error().message, HasSubstr("gs://bkt/o: 5 bytes at a null address"));
}

TEST(NullArguments, AreRefusedBeforeSending) {
  const emulator::Emulator emulator;
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .project = "test"});
  std::byte* const nowhere = nullptr;
  const std::span<std::byte> room(nowhere, 5);
  ExpectRefused(client.InsertObject({"bkt", "o"}, room));
  ExpectRefused(client.ReadObject({"bkt", "o"}, room));
  ExpectRefused(UploadObject(client, {"bkt", "o"}, room));
  ObjectWriter writer(client, {"bkt", "o"}, {.path = WritePath::kOneStream});
  ExpectRefused(writer.Write(room));
  EXPECT_FALSE(client.ReadObject({"bkt", "o"}, ByteSink()).ok()) << "a sink that is none";
  EXPECT_EQ(emulator.counters().requests, 0U);
  ASSERT_TRUE(client.InsertBucket("bkt"));
  const auto upload = MultipartUpload::Start(client, {"bkt", "o"});
  ASSERT_TRUE(upload.ok()) << upload.error().message;
  ExpectRefused(upload->UploadPart(1, room));
  EXPECT_EQ(emulator.counters().requests, 2U);
}

TEST(NullArguments, AreAcceptedForEmptyBuffers) {
  const emulator::Emulator emulator;
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .project = "test"});
  ASSERT_TRUE(client.InsertBucket("bkt"));
  ASSERT_TRUE(client.InsertObject({"bkt", "o"}, {}));
  EXPECT_EQ(client.ReadObject({"bkt", "o"}, std::span<std::byte>())->bytes, 0U);
}

}  // namespace
}  // namespace gcsflux
