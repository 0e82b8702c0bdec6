#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "emulator/faults/fault_test.h"
#include "http/hash_text.h"
#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

std::string Crc32cOf(std::string_view bytes) { return EncodeCrc32c(ExtendCrc32c(0, std::as_bytes(std::span(bytes)))); }

class CorruptUploadFault : public FaultTest {
 protected:
  void Corrupt(std::uint64_t at_byte) {
    emulator().faults().Clear();
    Inject({.type = "corruptUpload", .at_byte = at_byte});
  }
};

TEST_F(CorruptUploadFault, FlipsOneBitBeforeTheHash) {
  const std::string content = Bytes(100'000);
  for (const std::uint64_t at_byte : {0, 1, 99'999}) {
    SCOPED_TRACE(at_byte);
    Corrupt(at_byte);
    const std::string changed = WithChangedByte(content, at_byte);
    EXPECT_EQ(nlohmann::json::parse(Insert("object", content).body).at("crc32c"), Crc32cOf(changed));
    EXPECT_EQ(Fired(), 1U);
    EXPECT_TRUE(Stored("object") == changed);
  }
}

TEST_F(CorruptUploadFault, IsDetectedByTheClientsHashes) {
  Corrupt(3);
  const std::string metadata = R"({"crc32c":")" + Crc32cOf("0123456789") + R"("})";
  EXPECT_EQ(InsertMultipart("object", "0123456789", metadata).status, 400);
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Stored("object"), std::nullopt);
}

TEST_F(CorruptUploadFault, ChangesOnlyTheObjectsBytes) {
  Corrupt(9);
  EXPECT_EQ(InsertMultipart("object", "0123456789").status, 200);
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Stored("object"), "0123456788");
  Corrupt(10);
  EXPECT_EQ(InsertMultipart("object", "0123456789").status, 200);
  EXPECT_EQ(Insert("object", "0123456789").status, 200);
  EXPECT_EQ(Fired(), 0U);
  EXPECT_EQ(Stored("object"), "0123456789");
}

TEST_F(CorruptUploadFault, CountsBytesAcrossTheChunksOfASession) {
  const std::string content = Bytes(2 * kChunk);
  for (const std::size_t at_byte : {kChunk - 1, kChunk, 2 * kChunk - 1}) {
    SCOPED_TRACE(at_byte);
    const std::string session = StartSession("object");
    Corrupt(at_byte);
    EXPECT_EQ(PutChunk(session, 0, std::string_view(content).substr(0, kChunk)).status, 308);
    EXPECT_EQ(Fired(), at_byte < kChunk ? 1U : 0U);
    EXPECT_EQ(PutChunk(session, kChunk, std::string_view(content).substr(kChunk), content.size()).status, 200);
    EXPECT_EQ(Fired(), 1U);
    EXPECT_TRUE(Stored("object") == WithChangedByte(content, at_byte));
  }
}

// A session ignores bytes that it has.
TEST_F(CorruptUploadFault, SkipsBytesThatAreSentAgain) {
  const std::string content = Bytes(kChunk + 10);
  const std::string session = StartSession("object");
  ASSERT_EQ(PutChunk(session, 0, content.substr(0, kChunk)).status, 308);
  Inject({.type = "corruptUpload", .at_byte = 100});
  ASSERT_EQ(PutChunk(session, 0, content, content.size()).status, 200);
  EXPECT_EQ(Fired(), 0U);
  EXPECT_TRUE(Stored("object") == content);
}

}  // namespace
}  // namespace gcsflux::emulator
