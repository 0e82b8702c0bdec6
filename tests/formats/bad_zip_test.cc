#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/crc32.h"
#include "formats/zip/zip_layout.h"
#include "formats/zip_archives.h"
#include "support/fails_with.h"

namespace gcsflux::formats_tests {
namespace {

namespace zip = internal::zip;
using ::testing::HasSubstr;

const Records& Two() {
  static const Records records = {{"x/data.pkl", "a pickle"}, {"x/data/0", "the bytes of a tensor"}};
  return records;
}

std::size_t PlaceOf(const std::string& archive, std::string_view signature, int number = 0) {
  std::size_t at = archive.find(signature);
  while (number-- > 0) at = archive.find(signature, at + 1);
  EXPECT_NE(at, archive.npos);
  return at;
}

void ExpectRefusedAs(const std::string& archive, const std::string& why) {
  const auto records = Unzip(archive);
  ASSERT_FALSE(records.ok()) << why;
  ExpectRefused(records.error(), why);
  EXPECT_THAT(records.error().message, HasSubstr(why));
}

TEST(BadZip, DetectsEveryTruncation) {
  const std::string archive = ZipOf(Two());
  for (std::size_t size = 0; size < archive.size(); ++size) {
    const auto records = Unzip(std::string_view(archive).substr(0, size));
    ASSERT_FALSE(records.ok()) << size;
    ExpectRefused(records.error(), std::to_string(size));
  }
}

// Some bytes have no meaning: dates, versions, padding. With any flipped bit, no other data is read.
TEST(BadZip, DetectsEveryHarmfulFlippedBit) {
  const std::string archive = ZipOf(Two());
  int harmless = 0;
  for (std::size_t bit = 0; bit < 8 * archive.size(); ++bit) {
    std::string damaged = archive;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const auto records = Unzip(damaged);
    if (records.ok()) {
      ASSERT_EQ(*records, Two()) << "bit " << bit;
      ++harmless;
    } else {
      ExpectRefused(records.error(), "bit " + std::to_string(bit));
    }
  }
  EXPECT_LT(harmless, static_cast<int>(8 * archive.size()) / 2);
}

TEST(BadZip, ReportsEveryFlippedByteOfARecordAsCorrupted) {
  const std::string archive = ZipOf(Two());
  const std::size_t at = archive.find(Two()[1].second);
  for (std::size_t i = 0; i < Two()[1].second.size(); ++i) {
    EXPECT_TRUE(
        testing::FailsWith(Unzip(Patched(archive, at + i, "\x01")), ErrorCode::kCorrupted, HasSubstr("x/data/0")));
  }
}

TEST(BadZip, RefusesFalseNumbers) {
  const std::string archive = ZipOf(Two());
  const std::size_t end = PlaceOf(archive, zip::kEndSignature);
  const std::size_t central = PlaceOf(archive, zip::kCentralSignature);
  struct Field {
    const char* name;
    std::size_t place;
    int bytes;
  };
  for (const Field& field : {Field{"records here", end + 8, 2},
                             {"records", end + 10, 2},
                             {"the directory's length", end + 12, 4},
                             {"the directory's place", end + 16, 4},
                             {"the comment's length", end + 20, 2},
                             {"stored size", central + 20, 4},
                             {"size", central + 24, 4},
                             {"the name's length", central + 28, 2},
                             {"the extra field's length", central + 30, 2},
                             {"the comment's length", central + 32, 2},
                             {"the record's place", central + 42, 4},
                             {"the local name's length", 26, 2},
                             {"the local extra field's length", 28, 2}}) {
    for (const std::uint64_t lie : {0x1ULL, 0x2ULL, 0x40ULL, 0x7FFFULL, 0xFFFEULL, 0xFFFFULL, 0x7FFFFFFFULL,
                                    0x80000000ULL, 0xFFFFFFFEULL, 0xFFFFFFFFULL}) {
      const std::string old = archive.substr(field.place, static_cast<std::size_t>(field.bytes));
      const std::string number = Number(lie, field.bytes);
      if (number == old) continue;
      const auto records = Unzip(Patched(archive, field.place, number));
      ASSERT_FALSE(records.ok()) << field.name << " is " << lie;
      ExpectRefused(records.error(), field.name);
    }
  }
}

TEST(BadZip, RefusesFalse64BitNumbers) {
  Records many;
  for (int i = 0; i < 65'535; ++i) many.emplace_back(std::to_string(i), "");
  const std::string archive = ZipOf(many);
  const std::size_t end = PlaceOf(archive, zip::kEnd64Signature);
  for (const std::size_t place :
       {end + 4, end + 16, end + 24, end + 32, end + 40, end + 48, end + zip::kEnd64Bytes + 8}) {
    for (const std::uint64_t lie : {std::uint64_t{1} << 63, ~std::uint64_t{0}, std::uint64_t{65'536}}) {
      const auto records = internal::ZipDirectory::Read(SourceOver(Patched(archive, place, Number(lie, 8))));
      EXPECT_FALSE(records.ok()) << place << " is " << lie;
    }
  }
}

TEST(BadZip, RefusesTwoRecordsWithOneName) { ExpectRefusedAs(ZipOf({{"a", "1"}, {"a", "2"}}), "two records 'a'"); }

TEST(BadZip, RefusesOverlappingRecords) {
  const std::string archive = ZipOf(Two());
  const std::size_t second = PlaceOf(archive, zip::kCentralSignature, 1);
  ExpectRefusedAs(Patched(archive, second + 42, Number(0, 4)), "reaches into what is behind it");
  ExpectRefusedAs(Patched(archive, second + 42, Number(70, 4)), "reaches into what is behind it");
}

// Only the header tells its length.
TEST(BadZip, RefusesALongHeaderThatReachesTheNextRecord) {
  const std::string archive = ZipOf(Two());
  const std::uint64_t extra = archive.size() - PlaceOf(archive, zip::kCentralSignature) + 20;
  ExpectRefusedAs(Patched(archive, 28, Number(extra, 2)), "reaches into what is behind it");
}

TEST(BadZip, RefusesADifferentLocalHeader) {
  const std::string archive = ZipOf(Two());
  for (const auto& [place, bytes] :
       {std::pair<std::size_t, std::string>{30, "y"}, {8, "\x08"}, {6, "\x01"}, {0, "Q"}}) {
    const auto records = Unzip(Patched(archive, place, bytes));
    ASSERT_FALSE(records.ok()) << place;
    EXPECT_THAT(records.error().message, HasSubstr("local header")) << place;
  }
  ExpectRefusedAs(Patched(archive, 22, Number(7, 4)), "local header");
}

TEST(BadZip, RefusesCompressedAndEncryptedRecordsByName) {
  const std::string archive = ZipOf(Two());
  const std::size_t second = PlaceOf(archive, zip::kCentralSignature, 1);
  const auto compressed = Unzip(Patched(archive, second + 10, Number(8, 2)));
  ASSERT_FALSE(compressed.ok());
  EXPECT_THAT(compressed.error().message, HasSubstr("record 'x/data/0'"));
  EXPECT_THAT(compressed.error().message, HasSubstr("compressed"));
  ExpectRefusedAs(Patched(archive, second + 8, Number(0x809, 2)), "encrypted");
}

// A deflated record of a few bytes that claims gigabytes.
TEST(BadZip, AllocatesNothingForAZipBomb) {
  const std::string archive = ZipOf(Two());
  const std::size_t second = PlaceOf(archive, zip::kCentralSignature, 1);
  const std::string bomb = Patched(Patched(archive, second + 10, Number(8, 2)), second + 24, Number(0xFFFFFFF0, 4));
  ExpectRefusedAs(bomb, "compressed");
}

TEST(BadZip, ReadsAnArchiveWithAComment) {
  std::string archive = ZipOf(Two());
  archive = Patched(archive, archive.size() - 2, Number(5, 2)) + "hello";
  const auto records = Unzip(archive);
  ASSERT_TRUE(records.ok()) << records.error().message;
  EXPECT_EQ(*records, Two());
}

TEST(BadZip, RefusesACommentThatImitatesAnEndRecord) {
  const std::string archive = ZipOf(Two());
  const std::size_t end = PlaceOf(archive, zip::kEndSignature);
  const std::string imitation = archive.substr(end);
  ExpectRefusedAs(Patched(archive, archive.size() - 2, Number(imitation.size(), 2)) + imitation, "imitated");
  const std::string other = ZipOf({{"evil", "1"}});
  ExpectRefusedAs(Patched(archive, archive.size() - 2, Number(other.size(), 2)) + other, "imitated");
}

// Bytes between the directory and the end record belong to neither.
TEST(BadZip, RefusesBytesBetweenTheDirectoryAndTheEnd) {
  std::string archive = ZipOf(Two());
  archive.insert(PlaceOf(archive, zip::kEndSignature), "hidden");
  ExpectRefusedAs(archive, "not where the end record says");
}

TEST(BadZip, RefusesATooLongRecordBeforeItReadsRecords) {
  const std::string archive = ZipOf(Two());
  const std::size_t first = PlaceOf(archive, zip::kCentralSignature);
  const std::string longer = Patched(Patched(archive, first + 20, Number(500, 4)), first + 24, Number(500, 4));
  const auto directory = internal::ZipDirectory::Read(SourceOver(longer));
  ASSERT_FALSE(directory.ok());
  EXPECT_THAT(directory.error().message, HasSubstr("reaches into what is behind it"));
}

TEST(BadZip, ReadsNoRecordBeforeTheDirectoryIsChecked) {
  ExpectRefusedAs("prefix" + ZipOf(Two()), "");
  ExpectRefusedAs(ZipOf(Two()) + "x", "");
  ExpectRefusedAs("", "no end record");
  ExpectRefusedAs(std::string(1 << 20, '\0'), "no end record");
}

TEST(BadZip, DetectsHarmfulRandomDamage) {
  const std::string archive = ZipOf(Two());
  for (unsigned seed = 0; seed < 3'000; ++seed) {
    std::mt19937 random(seed);
    std::string damaged = archive;
    for (unsigned i = 0; i <= random() % 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto records = Unzip(damaged);
    if (records.ok()) {
      ASSERT_EQ(*records, Two()) << "seed " << seed;
    }
  }
}

TEST(Crc32, MatchesZipArchives) {
  EXPECT_EQ(internal::ExtendCrc32(0, BytesOf("123456789")), 0xCBF43926U);
  EXPECT_EQ(internal::ExtendCrc32(internal::ExtendCrc32(0, BytesOf("1234")), BytesOf("56789")), 0xCBF43926U);
  EXPECT_EQ(internal::ExtendCrc32(0, {}), 0U);
}

}  // namespace
}  // namespace gcsflux::formats_tests
