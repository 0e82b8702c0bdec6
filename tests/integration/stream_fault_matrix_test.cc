// ObjectWriter and ObjectReader under every transient fault, at each of their steps: they succeed, the fault has fired,
// the bytes are right, each effect happens exactly once, and nothing temporary is left.
#include <string>
#include <vector>

#include "gcsflux/emulator/journal_queries.h"
#include "gcsflux/listing.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"
#include "support/fault_matrix.h"
#include "support/result.h"
#include "support/upload_case.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;
using testing::BrokenBodies;
using testing::FailuresInPlaceOfAnswer;
using testing::LostAnswer;
using testing::LostAnswers;
using testing::NamedFaults;

using testing::kPart;

class StreamFaultMatrixTest : public testing::FaultMatrix {
 protected:
  // Two parts.
  static const std::string& Large() {
    static const std::string bytes = Content() + Content();
    return bytes;
  }
  [[nodiscard]] Result<ObjectMetadata> Store(WriteMode mode) const {
    ObjectWriter writer(*client_, {kBucket, "new"}, {.mode = mode, .part_bytes = kPart});
    if (auto written = writer.Write(AsBytes(Large())); !written) return written.error();
    return writer.Close();
  }
  void ExpectStored(WriteMode mode) {
    const auto stored = Store(mode);
    EXPECT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
    ExpectStoredOnce("new", Large());
    EXPECT_TRUE(ListPrefix(*client_, {kBucket, "gcsflux-uploads/"})->objects.empty());
  }
  [[nodiscard]] std::size_t Uploads() const { return ListMultipartUploads(*client_, {kBucket, ""})->size(); }

  [[nodiscard]] ObjectReader Open() const {
    return *ObjectReader::Open(*client_, ObjectName{kBucket, "object"}, {.range_bytes = 500'000});
  }
  // The whole object, which is verified, with some bytes at the end first: the fault acts on the matching request.
  void ExpectReadWhole() {
    auto reader = Open();
    std::string tail(1'000, '\0');
    const auto at_end = reader.ReadAt(Content().size() - tail.size(), std::as_writable_bytes(std::span(tail)));
    EXPECT_TRUE(at_end.ok()) << testing::ErrorOf(at_end).message;
    EXPECT_EQ(tail, Content().substr(Content().size() - tail.size()));
    std::string bytes(Content().size(), '\0');
    for (std::size_t at = 0; at < bytes.size(); at += 100'000) {
      const auto read = reader.ReadNext(std::as_writable_bytes(std::span(bytes).subspan(at, 100'000)));
      ASSERT_TRUE(read.ok()) << testing::ErrorOf(read).message;
    }
    EXPECT_TRUE(bytes == Content());
    const auto whole = reader.VerifyWhole();
    EXPECT_TRUE(whole.ok()) << testing::ErrorOf(whole).message;
  }
};

TEST_F(StreamFaultMatrixTest, StartsTheUpload) {
  for (const WriteMode mode : {WriteMode::kCreate, WriteMode::kOverwrite}) {
    ForEach(FailuresInPlaceOfAnswer(), {.phase = "initiate"}, [&] {
      ExpectStored(mode);
      EXPECT_EQ(Uploads(), 0U);
    });
    // An upload whose start was not acknowledged remains, without parts, for `gcsflux clean`.
    ForEach(LostAnswers(), {.phase = "initiate"}, [&] {
      ExpectStored(mode);
      EXPECT_LE(Uploads(), 1U);
    });
  }
}

TEST_F(StreamFaultMatrixTest, SendsParts) {
  const NamedFaults broken = {
      {"fails at its first byte", {.type = "failUpload", .status = 503, .after_bytes = 1}},
      {"fails in its midst", {.type = "failUpload", .status = 503, .after_bytes = kPart / 2}},
      {"stalls", {.type = "stallUpload", .after_bytes = kPart / 2, .duration = milliseconds(20)}},
      {"is answered late", {.type = "stall", .duration = milliseconds(20)}}};
  ForEach(FailuresInPlaceOfAnswer() + LostAnswer() + broken, {.phase = "part"}, [&] {
    ExpectStored(WriteMode::kOverwrite);
    EXPECT_EQ(Uploads(), 0U);
  });
}

TEST_F(StreamFaultMatrixTest, JoinsParts) {
  for (const WriteMode mode : {WriteMode::kCreate, WriteMode::kOverwrite}) {
    ForEach(FailuresInPlaceOfAnswer() + LostAnswers(), {.phase = "complete"}, [&] {
      ExpectStored(mode);
      EXPECT_EQ(Uploads(), 0U);
    });
  }
}

// The joined object is verified before it becomes visible.
TEST_F(StreamFaultMatrixTest, VerifiesTheJoinedObject) {
  ForEach(FailuresInPlaceOfAnswer() + LostAnswers(),
          {.operation = "storage.objects.get", .object_prefix = "gcsflux-uploads/"},
          [&] { ExpectStored(WriteMode::kOverwrite); });
}

TEST_F(StreamFaultMatrixTest, ComposesTheObject) {
  for (const WriteMode mode : {WriteMode::kCreate, WriteMode::kOverwrite}) {
    ForEach(FailuresInPlaceOfAnswer() + LostAnswers(), {.operation = "storage.objects.compose"},
            [&] { ExpectStored(mode); });
  }
}

TEST_F(StreamFaultMatrixTest, ReadsBackALostCompose) {
  for (const WriteMode mode : {WriteMode::kCreate, WriteMode::kOverwrite}) {
    ForEach(FailuresInPlaceOfAnswer() + LostAnswers(), {.operation = "storage.objects.get", .object_prefix = "new"},
            [&] {
              emulator_.faults().Add({.name = "lost",
                                      .match = {.operation = "storage.objects.compose"},
                                      .action = {.type = "loseAnswer"},
                                      .limits = {.count = 1}});
              ExpectStored(mode);
              EXPECT_EQ(emulator_.faults().Fired("lost"), 1U);
            });
  }
}

TEST_F(StreamFaultMatrixTest, NeverStoresDamagedParts) {
  NamedFaults flips;
  for (const std::uint64_t at : {std::size_t{0}, kPart / 2, kPart - 1}) {
    flips.push_back({"byte " + std::to_string(at), {.type = "corruptUpload", .at_byte = at}});
  }
  ForEach(flips, {.phase = "part"}, [&] {
    const auto stored = Store(WriteMode::kOverwrite);
    if (stored) return ExpectStoredOnce("new", Large());
    EXPECT_EQ(testing::ErrorOf(stored).code, ErrorCode::kCorrupted);
    ExpectNeverStored("new");
  });
}

TEST_F(StreamFaultMatrixTest, ReadsObjectsWhole) {
  const NamedFaults faults = FailuresInPlaceOfAnswer() + BrokenBodies(64U << 10);
  const std::uint64_t size = Content().size();
  for (const std::uint64_t byte : {std::uint64_t{0}, std::uint64_t{1'700'000}, size - 1}) {
    SCOPED_TRACE(byte);  // In the first range, a later one, and the tail.
    ForEach(faults, {.operation = "storage.objects.get", .object_prefix = "object", .covers_byte = byte},
            [&] { ExpectReadWhole(); });
  }
}

TEST_F(StreamFaultMatrixTest, FindsDamageInAnyRange) {
  const std::uint64_t size = Content().size();
  for (const std::uint64_t byte : {std::uint64_t{0}, std::uint64_t{1'700'000}, size - 1}) {
    ForEach({{"flip", {.type = "corrupt", .at_byte = byte}}}, {.operation = "storage.objects.get"}, [&] {
      const auto reader = Open();
      EXPECT_EQ(testing::ErrorOf(reader.VerifyWhole()).code, ErrorCode::kCorrupted);
    });
  }
}

// The service refuses all requests until the writer has waited often: nothing is lost, nothing is stored twice.
TEST_F(StreamFaultMatrixTest, SurvivesALongRefusal) {
  ForEach(
      {{"429", {.type = "status", .status = 429}}}, {.phase = "part"}, [&] { ExpectStored(WriteMode::kOverwrite); },
      /*count=*/8);
  ForEach(
      {{"503", {.type = "status", .status = 503}}}, {.phase = "part"}, [&] { ExpectStored(WriteMode::kOverwrite); },
      /*count=*/60);
}

}  // namespace
}  // namespace gcsflux
