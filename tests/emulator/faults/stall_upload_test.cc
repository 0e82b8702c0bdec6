#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::seconds;

class StallUploadFault : public FaultTest {
 protected:
  StallUploadFault() { emulator().clock().Freeze(); }

  void Stall(std::uint64_t after_bytes) {
    emulator().faults().Clear();
    Inject({.type = "stallUpload", .after_bytes = after_bytes, .duration = seconds(30)});
  }

  // Waits for the pause, during which `meanwhile` runs.
  int Upload(const std::function<RawResponse()>& upload, const std::function<void()>& meanwhile) {
    auto uploaded = std::async(std::launch::async, [&] { return upload().status; });
    emulator().clock().AwaitWaiters(1);
    EXPECT_EQ(Fired(), 1U);
    meanwhile();
    emulator().clock().Advance(seconds(30));
    return uploaded.get();
  }
};

TEST_F(StallUploadFault, HappensBeforeTheObjectIsStored) {
  for (const std::uint64_t after_bytes : {0, 1, 9, 10}) {
    SCOPED_TRACE(after_bytes);
    const std::string name = "object-" + std::to_string(after_bytes);
    Stall(after_bytes);
    EXPECT_EQ(Upload([&] { return Insert(name, "0123456789"); },
                     [&] { EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/" + name).status, 404); }),
              200);
    EXPECT_EQ(Stored(name), "0123456789");
  }
}

TEST_F(StallUploadFault, SkipsShorterUploads) {
  Stall(11);
  EXPECT_EQ(Insert("object", "0123456789").status, 200);
  // Bytes around the object's bytes do not count.
  EXPECT_EQ(InsertMultipart("object", "0123456789").status, 200);
  EXPECT_EQ(Fired(), 0U);
}

TEST_F(StallUploadFault, CountsTheObjectsBytesInAMultipartUpload) {
  Stall(10);
  EXPECT_EQ(Upload([&] { return InsertMultipart("object", "0123456789"); }, [] {}), 200);
  EXPECT_EQ(Stored("object"), "0123456789");
}

TEST_F(StallUploadFault, HappensBeforeTheCrossingChunkIsStored) {
  const std::string bytes = Bytes(2 * kChunk);
  const std::string session = StartSession("object");
  Stall(kChunk + 1);
  EXPECT_EQ(PutChunk(session, 0, std::string_view(bytes).substr(0, kChunk)).status, 308);
  EXPECT_EQ(Fired(), 0U);
  EXPECT_EQ(Upload([&] { return PutChunk(session, kChunk, std::string_view(bytes).substr(kChunk), bytes.size()); },
                   [&] { EXPECT_EQ(Persisted(session), "bytes=0-262143"); }),
            200);
  EXPECT_TRUE(Stored("object") == bytes);
}

TEST_F(StallUploadFault, HappensInTheChunkThatEndsAtTheByte) {
  const std::string bytes = Bytes(2 * kChunk);
  const std::string session = StartSession("object");
  Stall(kChunk);
  EXPECT_EQ(Upload([&] { return PutChunk(session, 0, std::string_view(bytes).substr(0, kChunk)); }, [] {}), 308);
  EXPECT_EQ(PutChunk(session, kChunk, std::string_view(bytes).substr(kChunk), bytes.size()).status, 200);
  EXPECT_EQ(Fired(), 1U);
}

}  // namespace
}  // namespace gcsflux::emulator
