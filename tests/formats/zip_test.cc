#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "formats/zip/zip_layout.h"
#include "formats/zip_archives.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using internal::LocateRecord;
using internal::ReadRecords;
using internal::ZipDirectory;
using internal::ZipEntry;
using internal::ZipWriter;
using ::testing::HasSubstr;

Records SomeRecords() {
  return {{"x/data.pkl", "a pickle"}, {"x/data/0", std::string(100, '\7')}, {"x/version", "3\n"}};
}

TEST(Zip, RoundTrips) {
  for (const Records& records : {Records{}, Records{{"a", ""}}, SomeRecords()}) {
    const auto read = Unzip(ZipOf(records));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, records);
  }
}

TEST(Zip, RoundTripsRandomRecords) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    Records records;
    const auto count = random() % 40;
    for (unsigned i = 0; i < count; ++i) {
      std::string name = "archive/" + std::to_string(i) + std::string(random() % 70, 'n');
      std::string data(random() % 3 == 0 ? 0 : random() % 5000, '\0');
      for (char& byte : data) byte = static_cast<char>(random());
      records.emplace_back(std::move(name), std::move(data));
    }
    const auto read = Unzip(ZipOf(records));
    ASSERT_TRUE(read.ok()) << "seed " << seed << ": " << read.error().message;
    ASSERT_EQ(*read, records) << "seed " << seed;
  }
}

TEST(Zip, AlignsEachRecordTo64Bytes) {
  Records records;
  for (std::size_t i = 0; i < 150; ++i) records.emplace_back(std::string(i + 1, 'n'), std::string(i, 'd'));
  const std::string archive = ZipOf(records);
  const ByteSource source = SourceOver(archive);
  const auto directory = ZipDirectory::Read(source);
  ASSERT_TRUE(directory.ok());
  for (const ZipEntry& entry : directory->entries()) {
    const auto range = LocateRecord(source, entry);
    ASSERT_TRUE(range.ok()) << range.error().message;
    EXPECT_EQ(range->begin % 64, 0U) << entry.name;
    EXPECT_EQ(range->size(), entry.size);
  }
}

TEST(Zip, NeedsOneReadToOpenAndOnePerRecord) {
  const std::string archive = ZipOf(SomeRecords());
  CountedSource source(SourceOver(archive));
  const auto directory = ZipDirectory::Read(source.counted);
  ASSERT_TRUE(directory.ok());
  EXPECT_EQ(source.reads, 1);
  const auto record = ReadRecord(source.counted, *directory->Find("x/data/0"));
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(source.reads, 2);
  const std::vector<const ZipEntry*> both = {directory->Find("x/version"), directory->Find("x/data.pkl")};
  const auto records = ReadRecords(source.counted, both);
  ASSERT_TRUE(records.ok()) << records.error().message;
  EXPECT_THAT(*records, ::testing::ElementsAre("3\n", "a pickle"));
  EXPECT_EQ(source.reads, 3) << "records that lie close together are read at once";
  EXPECT_EQ(directory->Find("x/data/1"), nullptr);
}

TEST(Zip, RefusesADifferentSizeThanAnnounced) {
  std::string archive;
  const ByteSink sink = SinkInto(archive);
  ZipWriter more(&sink);
  ASSERT_TRUE(more.BeginRecord("a", 3).ok());
  EXPECT_EQ(testing::ErrorOf(more.Write(BytesOf("four"))).code, ErrorCode::kInvalidArgument);
  ZipWriter fewer(&sink);
  ASSERT_TRUE(fewer.BeginRecord("a", 3).ok());
  ASSERT_TRUE(fewer.Write(BytesOf("2")).ok());
  EXPECT_EQ(testing::ErrorOf(fewer.Finish()).code, ErrorCode::kInvalidArgument);
}

TEST(Zip, ReturnsTheSinksError) {
  int left = 0;
  const ByteSink sink = [&](std::span<const std::byte>) -> Result<void> {
    if (left-- > 0) return {};
    return Error{ErrorCode::kLocalIo, "no room"};
  };
  for (int good = 0; good < 6; ++good) {
    left = good;
    ZipWriter writer(&sink);
    auto result = writer.BeginRecord("a", 1);
    if (result.ok()) result = writer.Write(BytesOf("1"));
    if (result.ok()) result = writer.Finish();
    ASSERT_EQ(result.ok(), good >= 5) << good;
    if (good < 5) {
      EXPECT_EQ(result.error().message, "no room");
    }
  }
}

// ----------------------------------------------------------------------------------------------- beyond 32 bits

// An archive of zeros; only its other bytes are kept.
struct SparseArchive {
  std::vector<std::pair<std::uint64_t, std::string>> pieces;
  std::uint64_t size = 0;

  [[nodiscard]] ByteSource Source() const {
    return {.name = "test.pt", .size = size, .read_at = [this](std::uint64_t offset, std::span<std::byte> into) {
              std::fill(into.begin(), into.end(), std::byte{0});
              for (const auto& [at, text] : pieces) {
                const std::uint64_t begin = std::max(at, offset);
                const std::uint64_t end = std::min(at + text.size(), offset + into.size());
                for (std::uint64_t i = begin; i < end; ++i) {
                  into[static_cast<std::size_t>(i - offset)] =
                      static_cast<std::byte>(text[static_cast<std::size_t>(i - at)]);
                }
              }
              return Result<void>();
            }};
  }
};

SparseArchive SparseArchiveOf(const std::vector<std::pair<std::string, std::uint64_t>>& records) {
  SparseArchive archive;
  ZipWriter* position = nullptr;
  std::string pending;
  const ByteSink sink = SinkInto(pending);
  ZipWriter writer(&sink);
  position = &writer;
  const auto keep = [&] {
    if (!pending.empty()) archive.pieces.emplace_back(position->bytes() - pending.size(), std::move(pending));
    pending.clear();
  };
  for (const auto& [name, size] : records) {
    EXPECT_TRUE(writer.BeginRecord(name, size).ok());
    keep();
    writer.SkipData(size);
  }
  EXPECT_TRUE(writer.Finish().ok());
  keep();
  archive.size = writer.bytes();
  return archive;
}

TEST(Zip, ReadsFilesOver4GiB) {
  constexpr std::uint64_t k4GiB = std::uint64_t{4} << 30;
  const std::vector<std::vector<std::pair<std::string, std::uint64_t>>> archives = {
      {{"x/data/0", k4GiB - 2}, {"x/data/1", 5}},
      {{"x/data/0", k4GiB - 1}, {"x/data/1", 5}},
      {{"x/data/0", k4GiB}, {"x/data/1", 0}},
      {{"x/data/0", 3 * k4GiB + 7}, {"x/data/1", 2 * k4GiB}},
      {{"x/data/0", std::uint64_t{1} << 50}, {"x/data/1", std::uint64_t{1} << 45}}};
  for (const auto& records : archives) {
    SCOPED_TRACE(records.front().second);
    const SparseArchive archive = SparseArchiveOf(records);
    const ByteSource source = archive.Source();
    const auto directory = ZipDirectory::Read(source);
    ASSERT_TRUE(directory.ok()) << directory.error().message;
    ASSERT_EQ(directory->entries().size(), records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      const ZipEntry& entry = directory->entries()[i];
      EXPECT_EQ(entry.size, records[i].second);
      const auto range = LocateRecord(source, entry);
      ASSERT_TRUE(range.ok()) << range.error().message;
      EXPECT_EQ(range->begin % 64, 0U);
    }
  }
}

TEST(Zip, SupportsMoreThan65535Records) {
  for (const int count : {65'534, 65'535, 65'536, 70'000}) {
    Records records;
    for (int i = 0; i < count; ++i) records.emplace_back("x/data/" + std::to_string(i), "1");
    const std::string archive = ZipOf(records);
    const auto directory = ZipDirectory::Read(SourceOver(archive));
    ASSERT_TRUE(directory.ok()) << directory.error().message;
    EXPECT_EQ(directory->entries().size(), records.size());
    EXPECT_NE(directory->Find("x/data/" + std::to_string(count - 1)), nullptr);
    EXPECT_EQ(archive.find(std::string(internal::zip::kEnd64Signature)) != archive.npos, count >= 65'535);
  }
}

}  // namespace
}  // namespace gcsflux::formats_tests
