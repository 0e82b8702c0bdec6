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

TEST_F(CorruptFault, FlipsOneBitAndKeepsTheHashes) {
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

TEST_F(CorruptFault, SkipsAnswersWithoutTheByte) {
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

TEST_F(CorruptFault, CountsFromTheAnswersStartIfConfigured) {
  ASSERT_EQ(Insert("object", content_).status, 200);
  Inject({.type = "corrupt"});
  EXPECT_EQ(Get("Range: bytes=300-399\r\n").body, WithChangedByte(content_, 300).substr(300, 100));
  emulator().faults().Clear();
  Inject({.type = "corrupt", .after_bytes = 99});
  EXPECT_EQ(Get("Range: bytes=300-399\r\n").body, WithChangedByte(content_, 399).substr(300, 100));
}

TEST_F(CorruptFault, CanAdaptTheHashes) {
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

TEST_F(CorruptFault, DoesNotChangeTheStoredObject) {
  ASSERT_EQ(Insert("object", content_).status, 200);
  Inject({.type = "corrupt"});
  EXPECT_NE(Get().body, content_);
  EXPECT_TRUE(Stored("object") == content_);
}

TEST_F(CorruptFault, AppliesToTheXmlApi) {
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

TEST_F(CorruptFault, FiresOnlyIfTheClientReceivesTheByte) {
  ASSERT_EQ(Insert("object", content_).status, 200);
  const FaultAction corrupt{.type = "corrupt", .at_byte = 500};
  const auto load = [&](const FaultAction& before, const FaultAction& after) {
    emulator().faults().Load({.rules = {{.name = "before", .action = before}, {.name = "after", .action = after}}});
  };
  const auto fired = [&](const char* rule) { return emulator().faults().Fired(rule); };
  for (const FaultAction& taking : {FaultAction{.type = "cut", .after_bytes = 500}, FaultAction{.type = "loseAnswer"},
                                    FaultAction{.type = "falseLength", .length_delta = -99'600}}) {
    SCOPED_TRACE(taking.type);
    load(corrupt, taking);
    (void)Read("object");
    EXPECT_EQ(fired("before"), 0U);
    EXPECT_EQ(fired("after"), 1U);
    load(taking, corrupt);
    (void)Read("object");
    EXPECT_EQ(fired("before"), 1U);
    EXPECT_EQ(fired("after"), 0U);
  }
  load(corrupt, {.type = "cut", .after_bytes = 501});
  EXPECT_TRUE(Read("object").body == WithChangedByte(content_, 500).substr(0, 501));
  EXPECT_EQ(fired("before") + fired("after"), 2U);
  load({.type = "cut", .after_bytes = 80}, {.type = "cut", .after_bytes = 50, .resets = true});
  EXPECT_EQ(Read("object").body.size(), 50U);
  EXPECT_EQ(fired("before"), 0U) << "a longer cut is behind a shorter one";
  EXPECT_EQ(fired("after"), 1U);
}

TEST_F(CorruptFault, NeverRestoresAByte) {
  ASSERT_EQ(Insert("object", content_).status, 200);
  const FaultAction corrupt{.type = "corrupt", .at_byte = 500};
  emulator().faults().Load({.rules = {{.name = "one", .action = corrupt}, {.name = "two", .action = corrupt}}});
  EXPECT_TRUE(Get().body == WithChangedByte(content_, 500));
  EXPECT_EQ(emulator().faults().Fired("one"), 1U);
  EXPECT_EQ(emulator().faults().Fired("two"), 0U);
  const FaultAction of_upload{.type = "corruptUpload", .at_byte = 500};
  emulator().faults().Load({.rules = {{.name = "one", .action = of_upload}, {.name = "two", .action = of_upload}}});
  ASSERT_EQ(Insert("object", content_).status, 200);
  EXPECT_EQ(emulator().faults().Fired("one"), 1U);
  EXPECT_EQ(emulator().faults().Fired("two"), 0U);
  EXPECT_TRUE(Stored("object") == WithChangedByte(content_, 500));
}

TEST_F(CorruptFault, SkipsAnswersToHead) {
  ASSERT_EQ(Insert("object", content_).status, 200);
  Inject({.type = "corrupt", .matching_hashes = true});
  for (const std::string& target : {std::string("/bucket/object"), MediaTarget("object")}) Exchange("HEAD", target);
  EXPECT_EQ(Fired(), 0U);
}

TEST_F(CorruptFault, RuleForAnObjectMatchesAMultiDelete) {
  ASSERT_EQ(Insert("object", content_).status, 200);
  Inject({.type = "status", .status = 503}, {.object_prefix = "obj"});
  const auto remove = [&](const std::string& name) {
    return Call("POST", "/bucket?delete", "",
                "<Delete><Object><Key>a</Key></Object><Object><Key>" + name + "</Key></Object></Delete>")
        .status;
  };
  EXPECT_EQ(remove("b"), 200);
  EXPECT_EQ(remove("object"), 503);
  EXPECT_EQ(Fired(), 1U);
}

}  // namespace
}  // namespace gcsflux::emulator
