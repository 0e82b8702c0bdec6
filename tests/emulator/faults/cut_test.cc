#include <gtest/gtest.h>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

class CutFault : public FaultTest {};

// For an object of 100,000 bytes: how many arrive, and whether anything is cut.
struct CutCase {
  std::uint64_t after_bytes;
  std::size_t want;
  bool fires;
};
constexpr CutCase kCases[] = {{0, 0, true},
                              {1, 1, true},
                              {65'536, 65'536, true},
                              {99'999, 99'999, true},
                              {100'000, 100'000, false},
                              {100'001, 100'000, false}};

TEST_F(CutFault, ClosesAfterTheGivenBytes) {
  const std::string content = Bytes(100'000);
  ASSERT_EQ(Insert("object", content).status, 200);
  for (const CutCase& test : kCases) {
    SCOPED_TRACE(test.after_bytes);
    emulator().faults().Clear();
    Inject({.type = "cut", .after_bytes = test.after_bytes});
    const RawExchange exchange = Read("object");
    EXPECT_EQ(exchange.status(), 200);
    EXPECT_TRUE(exchange.body == content.substr(0, test.want));
    EXPECT_FALSE(exchange.was_reset);
    EXPECT_EQ(Fired(), test.fires ? 1U : 0U);
  }
}

TEST_F(CutFault, ResetsAfterTheGivenBytes) {
  const std::string content = Bytes(100'000);
  ASSERT_EQ(Insert("object", content).status, 200);
  for (const CutCase& test : kCases) {
    SCOPED_TRACE(test.after_bytes);
    emulator().faults().Clear();
    Inject({.type = "cut", .after_bytes = test.after_bytes, .resets = true});
    const RawExchange exchange = Read("object");
    EXPECT_TRUE(exchange.body == content.substr(0, test.want));
    EXPECT_EQ(exchange.was_reset, test.fires);
    EXPECT_EQ(Fired(), test.fires ? 1U : 0U);
  }
}

TEST_F(CutFault, CountsTheBytesOfTheAnswerNotOfTheObject) {
  const std::string content = Bytes(1000);
  ASSERT_EQ(Insert("object", content).status, 200);
  Inject({.type = "cut", .after_bytes = 10});
  const RawExchange exchange = Read("object", "Range: bytes=500-599\r\n");
  EXPECT_EQ(exchange.status(), 206);
  EXPECT_EQ(exchange.body, content.substr(500, 10));
}

TEST_F(CutFault, DoesNotSpendItsCountOnAShorterAnswer) {
  ASSERT_EQ(Insert("short", "0123456789").status, 200);
  ASSERT_EQ(Insert("long", Bytes(1000)).status, 200);
  Inject({.type = "cut", .after_bytes = 10}, {}, {.count = 1});
  EXPECT_EQ(Read("short").body.size(), 10U);
  EXPECT_EQ(Read("long").body.size(), 10U);
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Read("long").body.size(), 1000U);
}

TEST_F(CutFault, CutsTheAnswerToACommittedUpload) {
  const std::string session = StartSession("object");
  Inject({.type = "cut", .after_bytes = 7}, {.phase = "final"});
  const RawExchange exchange = Exchange("PUT", session, "Content-Range: bytes 0-4/5\r\n", "hello");
  EXPECT_EQ(exchange.status(), 200);
  EXPECT_EQ(exchange.body.size(), 7U);
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Commits("object"), 1U);
  EXPECT_EQ(Stored("object"), "hello");
}

// "0123456789" as a gzip member: one block, stored.
constexpr std::string_view kGzipped(
    "\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x0a\0\xf5\xff"
    "0123456789"
    "\xc6\xc7\x84\xa6\x0a\0\0\0",
    33);

// A body that is decompressed on the way, so that it is sent in chunks.
TEST_F(CutFault, CutsAnAnswerOfUnknownLength) {
  ASSERT_EQ(Call("POST", InsertTarget("object") + "&contentEncoding=gzip", "", kGzipped).status, 200);
  for (const std::uint64_t after_bytes : {0, 9, 10, 11}) {
    SCOPED_TRACE(after_bytes);
    emulator().faults().Clear();
    Inject({.type = "cut", .after_bytes = after_bytes, .resets = true});
    const RawExchange exchange = Read("object");
    const bool is_whole = after_bytes >= 10;
    EXPECT_EQ(exchange.body.ends_with("0\r\n\r\n"), is_whole);
    EXPECT_NE(exchange.body.find(std::string_view("0123456789").substr(0, after_bytes)), std::string::npos);
    EXPECT_FALSE(exchange.was_reset);
    EXPECT_EQ(Fired(), is_whole ? 0U : 1U);
  }
}

TEST_F(CutFault, SkipsAnswersToHead) {
  ASSERT_EQ(Insert("object", Bytes(1000)).status, 200);
  Inject({.type = "cut", .after_bytes = 10});
  EXPECT_EQ(Exchange("HEAD", "/bucket/object").status(), 200);
  EXPECT_EQ(Fired(), 0U);
}

}  // namespace
}  // namespace gcsflux::emulator
