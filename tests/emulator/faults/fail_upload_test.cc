#include <gtest/gtest.h>

#include <string>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

class FailUploadFault : public FaultTest {
 protected:
  void Fail(std::uint64_t after_bytes) {
    emulator().faults().Clear();
    Inject({.type = "failUpload", .status = 503, .after_bytes = after_bytes}, {.operation = "storage.objects.insert"});
  }
};

TEST_F(FailUploadFault, CommitsNothingOfASingleRequest) {
  for (const std::uint64_t after_bytes : {0, 1, 9, 10}) {
    SCOPED_TRACE(after_bytes);
    Fail(after_bytes);
    EXPECT_EQ(Insert("object", "0123456789").status, 503);
    EXPECT_EQ(InsertMultipart("object", "0123456789").status, 503);
    EXPECT_EQ(Call("PUT", "/bucket/object", "", "0123456789").status, 503);
    EXPECT_EQ(Fired(), 3U);
    EXPECT_EQ(Stored("object"), std::nullopt);
  }
}

TEST_F(FailUploadFault, SkipsShorterUploads) {
  Fail(11);
  EXPECT_EQ(Insert("object", "0123456789").status, 200);
  EXPECT_EQ(InsertMultipart("object", "0123456789").status, 200);
  EXPECT_EQ(Call("PUT", "/bucket/object", "", "0123456789").status, 200);
  EXPECT_EQ(Fired(), 0U);
}

TEST_F(FailUploadFault, KeepsTheGivenBytesOfASession) {
  struct Case {
    std::uint64_t after_bytes;
    std::string kept;
  };
  const Case cases[] = {{1, "bytes=0-0"},
                        {kChunk - 1, "bytes=0-262142"},
                        {kChunk, "bytes=0-262143"},
                        {kChunk + 1, "bytes=0-262144"},
                        {2 * kChunk, "bytes=0-524287"}};
  const std::string content = Bytes(2 * kChunk);
  for (const Case& test : cases) {
    SCOPED_TRACE(test.after_bytes);
    const std::string name = "object-" + std::to_string(test.after_bytes);
    const std::string session = StartSession(name);
    Fail(test.after_bytes);
    EXPECT_EQ(PutChunk(session, 0, content).status, 503);
    EXPECT_EQ(Fired(), 1U);
    emulator().faults().Clear();
    EXPECT_EQ(Persisted(session), test.kept);
    EXPECT_EQ(Stored("object"), std::nullopt);
    EXPECT_EQ(
        PutChunk(session, test.after_bytes - 1, std::string_view(content).substr(test.after_bytes - 1), content.size())
            .status,
        200);
    EXPECT_TRUE(Stored(name) == content);
  }
}

TEST_F(FailUploadFault, CountsBytesAcrossChunks) {
  const std::string content = Bytes(2 * kChunk);
  const std::string session = StartSession("object");
  Fail(kChunk + 5);
  EXPECT_EQ(PutChunk(session, 0, std::string_view(content).substr(0, kChunk)).status, 308);
  EXPECT_EQ(Fired(), 0U);
  EXPECT_EQ(PutChunk(session, kChunk, std::string_view(content).substr(kChunk), content.size()).status, 503);
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Persisted(session), "bytes=0-262148");
}

TEST_F(FailUploadFault, DoesNotFinishTheSessionAtItsLastByte) {
  const std::string session = StartSession("object");
  Fail(5);
  EXPECT_EQ(PutChunk(session, 0, "hello", 5).status, 503);
  EXPECT_EQ(Stored("object"), std::nullopt);
  EXPECT_EQ(Call("PUT", session, "Content-Range: bytes */5\r\n").status, 200);
  EXPECT_EQ(Stored("object"), "hello");
}

TEST_F(FailUploadFault, AnswersWithThePlansStatusAndBody) {
  Inject({.type = "failUpload", .status = 429, .retry_after = std::chrono::seconds(3), .after_bytes = 1});
  const RawResponse answer = Insert("object", "0123456789");
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.Header("retry-after"), "3");
}

}  // namespace
}  // namespace gcsflux::emulator
