#include <gtest/gtest.h>

#include <string>

#include "emulator/faults/fault_test.h"
#include "http/hash_text.h"
#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

std::string HashOf(std::string_view bytes) {
  return "crc32c=" + EncodeCrc32c(ExtendCrc32c(0, std::as_bytes(std::span(bytes))));
}

class CorruptFault : public FaultTest {
 protected:
  RawResponse Get(const std::string& headers = "") { return Call("GET", MediaTarget("object"), headers); }

  const std::string content_ = Bytes(100'000);
};

TEST_F(CorruptFault, ChangesOneBitAndLeavesTheHashesTrue) {
  ASSERT_EQ(Insert("object", content_).status, 200);
  const std::string hashes = Get().Header("x-goog-hash");
  for (const std::uint64_t at_byte : {0, 1, 65'536, 99'999}) {
    SCOPED_TRACE(at_byte);
    emulator().faults().Clear();
    Inject({.type = "corrupt", .at_byte = at_byte});
    const RawResponse answer = Get();
    EXPECT_TRUE(answer.body == WithChangedByte(content_, at_byte));
    EXPECT_EQ(answer.Header("x-goog-hash"), hashes);
    EXPECT_EQ(Fired(), 1U);
  }
}

TEST_F(CorruptFault, LeavesAnswersAloneThatDoNotHaveTheByte) {
  ASSERT_EQ(Insert("object", content_).status, 200);
  Inject({.type = "corrupt", .at_byte = 500});
  EXPECT_EQ(Get("Range: bytes=0-499\r\n").body, content_.substr(0, 500));
  EXPECT_EQ(Get("Range: bytes=501-999\r\n").body, content_.substr(501, 499));
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/object").status, 200);
  EXPECT_EQ(Fired(), 0U);
  EXPECT_EQ(Get("Range: bytes=500-500\r\n").body, WithChangedByte(content_, 500).substr(500, 1));
  EXPECT_EQ(Fired(), 1U);
  emulator().faults().Clear();
  Inject({.type = "corrupt", .at_byte = 100'000});
  EXPECT_TRUE(Get().body == content_);
  EXPECT_EQ(Fired(), 0U);
}

TEST_F(CorruptFault, CountsFromTheAnswersBeginningWhereItIsToldTo) {
  ASSERT_EQ(Insert("object", content_).status, 200);
  Inject({.type = "corrupt"});
  EXPECT_EQ(Get("Range: bytes=300-399\r\n").body, WithChangedByte(content_, 300).substr(300, 100));
  emulator().faults().Clear();
  Inject({.type = "corrupt", .after_bytes = 99});
  EXPECT_EQ(Get("Range: bytes=300-399\r\n").body, WithChangedByte(content_, 399).substr(300, 100));
}

TEST_F(CorruptFault, CanHaveHashesThatMatch) {
  ASSERT_EQ(Insert("object", content_).status, 200);
  for (const std::uint64_t at_byte : {0, 777, 99'999}) {
    SCOPED_TRACE(at_byte);
    emulator().faults().Clear();
    Inject({.type = "corrupt", .at_byte = at_byte, .matching_hashes = true});
    const RawResponse whole = Get();
    EXPECT_TRUE(whole.body == WithChangedByte(content_, at_byte));
    EXPECT_EQ(whole.Header("x-goog-hash"), HashOf(whole.body));
    // A range has the whole object's hash.
    const std::string range = "Range: bytes=" + std::to_string(at_byte) + "-\r\n";
    EXPECT_EQ(Get(range).Header("x-goog-hash"), HashOf(whole.body));
    EXPECT_EQ(Fired(), 2U);
  }
}

TEST_F(CorruptFault, LeavesTheStoredObjectAsItIs) {
  ASSERT_EQ(Insert("object", content_).status, 200);
  Inject({.type = "corrupt"});
  EXPECT_NE(Get().body, content_);
  EXPECT_TRUE(Stored("object") == content_);
}

TEST_F(CorruptFault, IsForTheXmlApiToo) {
  ASSERT_EQ(Insert("object", content_).status, 200);
  Inject({.type = "corrupt"});
  const RawResponse answer = Call("GET", "/bucket/object");
  EXPECT_TRUE(answer.body == WithChangedByte(content_, 0));
  EXPECT_NE(answer.Header("etag"), "");
  EXPECT_EQ(Fired(), 1U);
  emulator().faults().Clear();
  Inject({.type = "corrupt", .matching_hashes = true});
  const RawResponse matching = Call("GET", "/bucket/object");
  EXPECT_EQ(matching.Header("x-goog-hash"), HashOf(matching.body));
  EXPECT_EQ(matching.Header("etag"), "");  // it would be the MD5 of other bytes
}

}  // namespace
}  // namespace gcsflux::emulator
