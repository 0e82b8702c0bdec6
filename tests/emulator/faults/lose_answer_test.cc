#include <gtest/gtest.h>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

class LoseAnswerFault : public FaultTest {};

TEST_F(LoseAnswerFault, CommitsOneGenerationAndResets) {
  Inject({.type = "loseAnswer"}, {.operation = "storage.objects.insert"});
  const RawExchange exchange = Exchange("POST", InsertTarget("object"), "", "content");
  EXPECT_TRUE(exchange.is_silent());
  EXPECT_TRUE(exchange.was_reset);
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Commits("object"), 1U);
  EXPECT_EQ(Stored("object"), "content");
}

TEST_F(LoseAnswerFault, KeepsTheChunkOfASession) {
  const std::string session = StartSession("object");
  Inject({.type = "loseAnswer"}, {.phase = "chunk"});
  const RawExchange exchange =
      Exchange("PUT", session, "Content-Range: bytes 0-262143/*\r\n", Bytes(std::size_t{256} << 10));
  EXPECT_TRUE(exchange.is_silent());
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Persisted(session), "bytes=0-262143");
}

TEST_F(LoseAnswerFault, SkipsRefusals) {
  Inject({.type = "loseAnswer"});
  EXPECT_EQ(Exchange("GET", "/storage/v1/b/nothing").status(), 404);
  EXPECT_EQ(Fired(), 0U);
}

}  // namespace
}  // namespace gcsflux::emulator
