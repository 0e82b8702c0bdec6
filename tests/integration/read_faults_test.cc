// Every way of reading an object's bytes under every fault: early, in the middle and late. Hedging of stalls is in
// hedging_test.cc.
#include <functional>
#include <ostream>

#include "gcsflux/download.h"
#include "gcsflux/emulator/journal_queries.h"
#include "gcsflux/upload.h"
#include "support/fails_with.h"
#include "support/fault_matrix.h"
#include "support/gzip.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;
using testing::NamedFault;
using testing::NamedFaults;

constexpr std::size_t kRangeStart = 1'000;
constexpr std::size_t kRangeSize = 2'000'000;

struct Way {
  std::string name;
  /// Gives the object's bytes, `size` of them, or those of the range.
  std::function<Result<std::string>(const Client&, const ObjectMetadata& object, std::size_t size)> read;
  bool is_whole = true;  ///< So that the object's checksum detects the error.
  bool is_stored_compressed = false;
  bool is_streamed = false;  ///< Delivered bytes cannot be taken back.
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

Result<std::string> IntoString(const Client& client, const ObjectMetadata& object, std::size_t) {
  return client.ReadObject({object.bucket, object.name});
}

Result<std::string> IntoMemory(const Client& client, const ObjectMetadata& object, std::size_t size) {
  std::string buffer(size, '\0');
  const auto read = client.ReadObject({object.bucket, object.name}, std::as_writable_bytes(std::span(buffer)));
  if (!read) return read.error();
  return buffer;
}

Result<std::string> AsStream(const Client& client, const ObjectMetadata& object, std::size_t) {
  std::string bytes;
  const ByteSink append = [&](std::span<const std::byte> data) -> Result<void> {
    bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
    return {};
  };
  const auto read = client.ReadObject({object.bucket, object.name}, append);
  if (!read) return read.error();
  return bytes;
}

Result<std::string> ByRange(const Client& client, const ObjectMetadata& object, std::size_t) {
  return client.ReadObject({object.bucket, object.name}, {.range = ByteRange{kRangeStart, kRangeSize}});
}

Result<std::string> Decompressed(const Client& client, const ObjectMetadata& object, std::size_t) {
  return client.ReadObject({object.bucket, object.name}, {.decompress_gzip = true});
}

Result<std::string> InABatch(const Client& client, const ObjectMetadata& object, std::size_t size) {
  const Downloader downloader(client, {.max_concurrency = 2});
  const auto batch = downloader.Download(DownloadSources(std::span(&object, 1)));
  if (!batch) return batch.error();
  return std::string(reinterpret_cast<const char*>((*batch)[0].bytes.data()), size);
}

class ReadFaultsTest : public testing::FaultMatrix, public ::testing::WithParamInterface<Way> {
 protected:
  [[nodiscard]] std::string Stored() const {
    return GetParam().is_stored_compressed ? testing::Gzip(Content()) : Content();
  }
  [[nodiscard]] std::string Wanted() const {
    return GetParam().is_whole ? Content() : Content().substr(kRangeStart, kRangeSize);
  }
  [[nodiscard]] std::size_t BodySize() const { return GetParam().is_whole ? Stored().size() : kRangeSize; }

  // Reads "read", stored as the way needs it, under each of the faults.
  void ForEachRead(const NamedFaults& faults, const std::function<void(const Result<std::string>&)>& expect,
                   std::uint64_t count = 1) {
    ForEach(
        faults, {.operation = "storage.objects.get", .object_prefix = "read"},
        [&] {
          InsertObjectOptions options;
          if (GetParam().is_stored_compressed) options.attributes.content_encoding = "gzip";
          const auto stored = MakeClient().InsertObject({kBucket, "read"}, AsBytes(Stored()), options);
          ASSERT_TRUE(stored.ok()) << stored.error().message;
          expect(GetParam().read(*client_, *stored, Content().size()));
        },
        count);
  }

  void ExpectRead(const Result<std::string>& read) {
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_TRUE(*read == Wanted()) << read->size() << " bytes";
  }
  [[nodiscard]] std::size_t Reads() const {
    std::size_t count = 0;
    for (const auto& record : emulator_.journal()) {
      count += record.operation == "storage.objects.get" && record.object == "read";
    }
    return count;
  }
};

TEST_P(ReadFaultsTest, RetriesTransientFailures) {
  ForEachRead(testing::FailuresInPlaceOfAnswer(), [&](const auto& read) {
    ExpectRead(read);
    EXPECT_EQ(Reads(), 2U);
  });
}

// Bytes that the connection's end cut off may have been in flight: only received bytes are not requested again.
TEST_P(ReadFaultsTest, ResumesBrokenBodies) {
  ForEachRead(testing::BrokenBodies(BodySize()), [&](const auto& read) {
    ExpectRead(read);
    EXPECT_EQ(Reads(), 2U);
  });
}

// The object's size is known from elsewhere too, so that it is known whether all bytes have arrived.
TEST_P(ReadFaultsTest, DetectsAFalseLength) {
  ForEachRead({{"too long", {.type = "falseLength", .length_delta = 7}},
               {"too short", {.type = "falseLength", .length_delta = -7}}},
              [&](const auto& read) { ExpectRead(read); });
}

TEST_P(ReadFaultsTest, AcceptsSlowBodies) {
  const NamedFaults slow = {
      {"stalls at once", {.type = "stall", .duration = milliseconds(20)}},
      {"stalls later", {.type = "stall", .after_bytes = BodySize() / 2, .duration = milliseconds(20)}},
      {"trickles", {.type = "trickle", .bytes_per_second = 50'000'000}}};
  client_options_.hedge_budget = 0;
  ForEachRead(slow, [&](const auto& read) {
    ExpectRead(read);
    EXPECT_EQ(Reads(), 1U);
  });
}

// A range has no checksum.
using WholeReadFaultsTest = ReadFaultsTest;

TEST_P(WholeReadFaultsTest, ReadsACorruptedBodyAgainOnceOrFails) {
  NamedFaults flips;
  for (const std::uint64_t at : {std::size_t{0}, BodySize() / 2, BodySize() - 1}) {
    flips.push_back({"byte " + std::to_string(at), {.type = "corrupt", .at_byte = at}});
  }
  ForEachRead(flips, [&](const Result<std::string>& read) {
    EXPECT_EQ(Reads(), GetParam().is_streamed ? 1U : 2U);
    if (!GetParam().is_streamed) return ExpectRead(read);
    EXPECT_TRUE(testing::FailsWith(read, ErrorCode::kCorrupted));
  });
}

TEST_P(WholeReadFaultsTest, ReadsACorruptedObjectAtMostTwice) {
  const std::uint64_t times = GetParam().is_streamed ? 1 : 2;
  ForEachRead(
      {{"rot", {.type = "corrupt", .at_byte = 7}}},
      [&](const Result<std::string>& read) {
        EXPECT_TRUE(testing::FailsWith(read, ErrorCode::kCorrupted));
        EXPECT_EQ(Reads(), times);
      },
      times);
}

std::vector<Way> WholeReads() {
  return {{"IntoString", IntoString},
          {"IntoMemory", IntoMemory},
          {"AsStream", AsStream, true, false, true},
          {"Decompressed", Decompressed, true, true},
          {"InABatch", InABatch}};
}

std::string NameOfWay(const ::testing::TestParamInfo<Way>& way) { return way.param.name; }

INSTANTIATE_TEST_SUITE_P(Each, WholeReadFaultsTest, ::testing::ValuesIn(WholeReads()), NameOfWay);
INSTANTIATE_TEST_SUITE_P(Each, ReadFaultsTest, ::testing::ValuesIn(WholeReads()), NameOfWay);
INSTANTIATE_TEST_SUITE_P(Range, ReadFaultsTest, ::testing::Values(Way{"ByRange", ByRange, false}), NameOfWay);

class BrokenReadTest : public testing::FaultMatrix {};

TEST_F(BrokenReadTest, RequestsNoByteTwice) {
  ForEach({{"reset", {.type = "cut", .after_bytes = 1'000'000, .resets = true}}}, {.operation = "storage.objects.get"},
          [&] {
            ASSERT_TRUE(client_->ReadObject({kBucket, "object"}).ok());
            EXPECT_EQ(client_->counters().reads_resumed, 1U);
            EXPECT_TRUE(emulator::FindBytesServedTwice(emulator_.journal()).empty());
          });
}

// The rest of another version is not the missing rest.
TEST_F(BrokenReadTest, DoesNotMixGenerations) {
  ForEach({{"cut", {.type = "cut", .after_bytes = 1'000'000}}}, {.operation = "storage.objects.get"}, [&] {
    std::string bytes;
    const ByteSink replace = [&](std::span<const std::byte> data) -> Result<void> {
      if (bytes.empty() && !UploadObject(*client_, {kBucket, "object"}, AsBytes("another"))) {
        return Error{ErrorCode::kLocalIo, "not replaced"};
      }
      bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
      return {};
    };
    EXPECT_TRUE(testing::FailsWith(client_->ReadObject({kBucket, "object"}, replace), ErrorCode::kAborted));
    EXPECT_TRUE(Content().starts_with(bytes));
  });
}

// Each answer breaks a little later. read_test.cc tests in simulated time that this extends the deadline.
TEST_F(BrokenReadTest, ResumesAsLongAsItProgresses) {
  ForEach(
      {{"cut", {.type = "cut", .after_bytes = 100'000}}}, {.operation = "storage.objects.get"},
      [&] {
        const auto read = client_->ReadObject({kBucket, "object"});
        ASSERT_TRUE(read.ok()) << read.error().message;
        EXPECT_TRUE(*read == Content());
        EXPECT_TRUE(emulator::FindBytesServedTwice(emulator_.journal()).empty());
      },
      20);
}

}  // namespace
}  // namespace gcsflux
