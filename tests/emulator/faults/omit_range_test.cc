#include <gtest/gtest.h>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

class OmitRangeFault : public FaultTest {};

TEST_F(OmitRangeFault, OmitsTheRangeOfPersistedBytes) {
  const std::string session = StartSession("object");
  Inject({.type = "omitRange"}, {.phase = "chunk"});
  const RawResponse answer = PutChunk(session, 0, Bytes(std::size_t{256} << 10));
  EXPECT_EQ(answer.status, 308);
  EXPECT_EQ(answer.headers.count("range"), 0U);
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Persisted(session), "bytes=0-262143");
}

TEST_F(OmitRangeFault, AppliesToStatusQueries) {
  const std::string session = StartSession("object");
  PutChunk(session, 0, Bytes(std::size_t{256} << 10));
  Inject({.type = "omitRange"});
  EXPECT_EQ(Persisted(session), "");
  const RawResponse no_308 = Call("PUT", session, "Content-Range: bytes */*\r\nX-Guploader-No-308: yes\r\n");
  EXPECT_EQ(no_308.status, 200);
  EXPECT_EQ(no_308.headers.count("range"), 0U);
  EXPECT_EQ(Fired(), 2U);
}

TEST_F(OmitRangeFault, DoesNotFireWithoutPersistedBytes) {
  const std::string session = StartSession("object");
  Inject({.type = "omitRange"});
  EXPECT_EQ(Persisted(session), "");
  EXPECT_EQ(Fired(), 0U);
}

}  // namespace
}  // namespace gcsflux::emulator
