#include <gtest/gtest.h>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

class LoseSessionFault : public FaultTest {};

TEST_F(LoseSessionFault, LosesTheSessionForGood) {
  for (const std::uint64_t status : {404, 410}) {
    SCOPED_TRACE(status);
    const std::string session = StartSession("object");
    EXPECT_EQ(PutChunk(session, 0, Bytes(std::size_t{256} << 10)).status, 308);
    emulator().faults().Clear();
    Inject({.type = "loseSession", .status = status}, {.object_prefix = "obj"});
    EXPECT_EQ(PutChunk(session, 262'144, "end", 262'147).status, static_cast<int>(status));
    EXPECT_EQ(Fired(), 1U);
    EXPECT_EQ(Call("PUT", session, "Content-Range: bytes */*\r\n").status, 404);
    EXPECT_EQ(Fired(), 1U);
    EXPECT_EQ(Stored("object"), std::nullopt);
  }
}

TEST_F(LoseSessionFault, AnswersWith410ByDefault) {
  const std::string session = StartSession("object");
  Inject({.type = "loseSession"});
  EXPECT_EQ(Call("PUT", session, "Content-Range: bytes */*\r\n").status, 410);
}

TEST_F(LoseSessionFault, SkipsFinishedUploadsAndOtherRequests) {
  const std::string session = StartSession("object");
  EXPECT_EQ(PutChunk(session, 0, "hello", 5).status, 200);
  Inject({.type = "loseSession"});
  EXPECT_EQ(Call("PUT", session, "Content-Range: bytes */*\r\n").status, 200);
  EXPECT_NE(StartSession("another"), "");
  EXPECT_EQ(Insert("third", "content").status, 200);
  EXPECT_EQ(Fired(), 0U);
}

}  // namespace
}  // namespace gcsflux::emulator
