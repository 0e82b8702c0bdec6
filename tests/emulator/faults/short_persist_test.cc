#include <gtest/gtest.h>

#include <string>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

class ShortPersistFault : public FaultTest {
 protected:
  void Keep(std::uint64_t keep_bytes) {
    emulator().faults().Clear();
    Inject({.type = "shortPersist", .keep_bytes = keep_bytes}, {}, {.count = 1});
  }
};

TEST_F(ShortPersistFault, KeepsAndReportsTheGivenBytesOfAChunk) {
  struct Case {
    std::uint64_t keep_bytes;
    std::string range;
    bool fires;
  };
  const Case cases[] = {{0, "", true},
                        {1, "bytes=0-0", true},
                        {kChunk - 1, "bytes=0-262142", true},
                        {kChunk, "bytes=0-262143", false},
                        {kChunk + 1, "bytes=0-262143", false}};
  for (const Case& test : cases) {
    SCOPED_TRACE(test.keep_bytes);
    const std::string session = StartSession("object");
    Keep(test.keep_bytes);
    const RawResponse answer = PutChunk(session, 0, Bytes(kChunk));
    EXPECT_EQ(answer.status, 308);
    EXPECT_EQ(answer.Header("range"), test.range);
    EXPECT_EQ(Fired(), test.fires ? 1U : 0U);
    EXPECT_EQ(Persisted(session), test.range);
  }
}

// The bytes of the chunk count, with those that the session already has.
TEST_F(ShortPersistFault, KeepsTheGivenBytesOfAnOverlappingChunk) {
  struct Case {
    std::uint64_t keep_bytes;
    std::string range;
  };
  for (const Case& test :
       {Case{kChunk + 5, "bytes=0-262148"}, Case{kChunk, "bytes=0-262143"}, Case{10, "bytes=0-262143"}}) {
    SCOPED_TRACE(test.keep_bytes);
    const std::string session = StartSession("object");
    ASSERT_EQ(PutChunk(session, 0, Bytes(kChunk)).status, 308);
    Keep(test.keep_bytes);
    const RawResponse answer = PutChunk(session, 0, Bytes(2 * kChunk));
    EXPECT_EQ(answer.status, 308);
    EXPECT_EQ(answer.Header("range"), test.range);
    EXPECT_EQ(Fired(), 1U);
    EXPECT_EQ(Persisted(session), test.range);
  }
}

TEST_F(ShortPersistFault, LeavesTheSessionUnfinishedAfterItsLastChunk) {
  const std::string content = Bytes(kChunk + 10);
  const std::string session = StartSession("object");
  EXPECT_EQ(PutChunk(session, 0, std::string_view(content).substr(0, kChunk)).status, 308);
  Keep(4);
  const RawResponse answer = PutChunk(session, kChunk, std::string_view(content).substr(kChunk), content.size());
  EXPECT_EQ(answer.status, 308);
  EXPECT_EQ(answer.Header("range"), "bytes=0-262147");
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(PutChunk(session, kChunk + 4, std::string_view(content).substr(kChunk + 4), content.size()).status, 200);
  EXPECT_TRUE(Stored("object") == content);
}

TEST_F(ShortPersistFault, SkipsUploadsInOneRequest) {
  Keep(4);
  EXPECT_EQ(Insert("object", "0123456789").status, 200);
  EXPECT_EQ(Fired(), 0U);
  EXPECT_EQ(Stored("object"), "0123456789");
}

}  // namespace
}  // namespace gcsflux::emulator
