// Each request of an upload has a phase that a rule can name, and the name of its object.

#include <gtest/gtest.h>

#include <string>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

class FaultPhasesTest : public FaultTest {
 protected:
  // Rules without an effect: one for each phase, and one for the object's name.
  void Watch(std::initializer_list<const char*> phases) {
    emulator().faults().Clear();
    for (const char* phase : phases) {
      emulator().faults().Add({.name = phase,
                               .match = {.phase = phase, .bucket = "bucket", .object_glob = "my/*"},
                               .action = {.type = "cut", .after_bytes = UINT64_MAX}});
    }
  }
  std::string Matched() {
    std::string text;
    for (const FaultCount& count : emulator().faults().Counts()) {
      text += count.rule + " " + std::to_string(count.matched) + " ";
    }
    return text;
  }
};

TEST_F(FaultPhasesTest, AreThoseOfAResumableUpload) {
  Watch({"start", "chunk", "final", "status", "cancel"});
  const std::string session = StartSession("my%2Fobject");
  EXPECT_EQ(Matched(), "start 1 chunk 0 final 0 status 0 cancel 0 ");
  EXPECT_EQ(PutChunk(session, 0, Bytes(std::size_t{256} << 10)).status, 308);
  EXPECT_EQ(Matched(), "start 1 chunk 1 final 0 status 0 cancel 0 ");
  EXPECT_EQ(Persisted(session), "bytes=0-262143");
  EXPECT_EQ(Matched(), "start 1 chunk 1 final 0 status 1 cancel 0 ");
  EXPECT_EQ(PutChunk(session, 262'144, "end", 262'147).status, 200);
  EXPECT_EQ(Matched(), "start 1 chunk 1 final 1 status 1 cancel 0 ");
  EXPECT_EQ(Call("DELETE", StartSession("my%2Fother")).status, 499);
  EXPECT_EQ(Matched(), "start 2 chunk 1 final 1 status 1 cancel 1 ");
}

TEST_F(FaultPhasesTest, AreThoseOfAMultipartUpload) {
  Watch({"initiate", "part", "complete", "abort"});
  const auto initiate = [&] {
    const std::string answer = Call("POST", "/bucket/my/object?uploads").body;
    const std::size_t begin = answer.find("<UploadId>") + 10;
    return "/bucket/my/object?uploadId=" + answer.substr(begin, answer.find('<', begin) - begin);
  };
  const std::string upload = initiate();
  EXPECT_EQ(Matched(), "initiate 1 part 0 complete 0 abort 0 ");
  const std::string etag = Call("PUT", upload + "&partNumber=1", "", "content").Header("etag");
  EXPECT_EQ(Matched(), "initiate 1 part 1 complete 0 abort 0 ");
  const std::string parts = "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>" + etag +
                            "</ETag></Part></CompleteMultipartUpload>";
  EXPECT_EQ(Call("POST", upload, "", parts).status, 200);
  EXPECT_EQ(Matched(), "initiate 1 part 1 complete 1 abort 0 ");
  EXPECT_EQ(Call("DELETE", initiate()).status, 204);
  EXPECT_EQ(Matched(), "initiate 2 part 1 complete 1 abort 1 ");
}

TEST_F(FaultPhasesTest, MatchUploadsOfParts) {
  const std::string answer = Call("POST", "/bucket/my/object?uploads").body;
  const std::size_t begin = answer.find("<UploadId>") + 10;
  const std::string part =
      "/bucket/my/object?partNumber=1&uploadId=" + answer.substr(begin, answer.find('<', begin) - begin);
  Inject({.type = "failUpload", .status = 503, .after_bytes = 7}, {.phase = "part"});
  EXPECT_EQ(Call("PUT", part, "", "content").status, 503);
  EXPECT_EQ(Call("PUT", part, "", "conten").status, 200);
  EXPECT_EQ(Fired(), 1U);
  emulator().faults().Clear();
  Inject({.type = "corruptUpload"}, {.phase = "part"});
  const std::string etag = Call("PUT", part, "", "content").Header("etag");
  emulator().faults().Clear();
  EXPECT_NE(Call("PUT", part, "", "content").Header("etag"), etag);
}

}  // namespace
}  // namespace gcsflux::emulator
