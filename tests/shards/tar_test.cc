#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "shards/tar_archives.h"

namespace gcsflux::testing {
namespace {

using ::testing::HasSubstr;

// What a parser found.
struct Found : internal::TarSink {
  Result<void> OnMember(const internal::TarMember& member) override {
    members.push_back(member);
    contents.emplace_back();
    return {};
  }
  Result<void> OnBytes(std::span<const std::byte> bytes) override {
    contents.back().append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    passed += bytes.size();
    return {};
  }
  Result<void> OnMemberEnd() override {
    ++ended;
    return {};
  }
  void OnOther(std::span<const std::byte> bytes) override { passed += bytes.size(); }

  std::vector<internal::TarMember> members;
  std::vector<std::string> contents;
  std::size_t ended = 0;
  std::size_t passed = 0;
};

Result<void> Parse(std::string_view tar, Found& found, std::size_t portion = 1 << 20) {
  internal::TarParser parser({.archive = "x.tar", .end = tar.size()}, found);
  for (std::size_t at = 0; at < tar.size(); at += portion) {
    if (auto fed = parser.Feed(BytesOf(tar.substr(at, portion))); !fed) return fed;
  }
  return parser.Finish();
}

Error ErrorOf(std::string_view tar) {
  Found found;
  const auto parsed = Parse(tar, found);
  return parsed ? Error{.message = "it was parsed"} : parsed.error();
}

TEST(TarParser, FindsMembersInAnyPortions) {
  const std::vector<TarFile> files = {{"a.txt", "hello"}, {"b/c.bin", std::string(1024, 'x')}, {"empty.cls", ""}};
  const std::string tar = TarOf(files);
  for (const std::size_t portion : {1U, 7U, 511U, 512U, 513U, 4096U}) {
    Found found;
    ASSERT_TRUE(Parse(tar, found, portion)) << portion;
    ASSERT_EQ(found.members.size(), files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      EXPECT_EQ(found.members[i].name, files[i].name);
      EXPECT_EQ(found.contents[i], files[i].content);
      EXPECT_EQ(tar.substr(found.members[i].data, files[i].content.size()), files[i].content);
    }
    EXPECT_EQ(found.members[1].begin, found.members[0].end());
    EXPECT_EQ(found.ended, files.size());
    EXPECT_EQ(found.passed, tar.size());
  }
}

TEST(TarParser, ReadsLongNamesOfPax) {
  const std::string long_name = std::string(300, 'd') + "/" + std::string(120, 'n') + ".jpg";
  const std::string umlaut = "\xc3\xa4.txt";
  const std::string deep = std::string(120, 'p') + "/" + std::string(90, 'q') + ".png";
  Found found;
  ASSERT_TRUE(Parse(TarOf({{long_name, "1"}, {umlaut, "2"}, {deep, "3"}}), found));
  EXPECT_EQ(found.members[0].name, long_name);
  EXPECT_EQ(found.members[0].data, 3 * internal::kTarBlock);
  EXPECT_EQ(found.members[1].name, umlaut);
  EXPECT_EQ(found.members[2].name, deep);
  EXPECT_EQ(found.members[2].data - found.members[2].begin, internal::kTarBlock) << "ustar's prefix holds it";
}

TEST(TarParser, ReadsLongNamesOfGnu) {
  const std::string name = std::string(150, 'g') + ".txt";
  std::string link = TarFileOf({"x", name + '\0'});
  Patch(link, 0, 156, "L");
  Found found;
  ASSERT_TRUE(Parse(link + TarFileOf({name.substr(0, 100), "content"}) + TarEnd(), found));
  ASSERT_EQ(found.members.size(), 1U);
  EXPECT_EQ(found.members[0].name, name);
  EXPECT_EQ(found.members[0].begin, 0U);
}

TEST(TarParser, ReadsSizesOver8GiB) {
  const std::uint64_t size = (std::uint64_t{9} << 30) + 5;
  const std::string pax = internal::WriteTarHeader("big.bin", size, 0);
  std::string gnu = internal::WriteTarHeader("big.bin", 0, 0);
  Patch(gnu, 0, 124, std::string_view("\x80\0\0\0\0\0\0\x02\x40\0\0\x05", 12));
  for (const std::string& headers : {pax, gnu}) {
    Found found;
    internal::TarParser parser({.archive = "x.tar"}, found);
    ASSERT_TRUE(parser.Feed(BytesOf(headers)));
    ASSERT_EQ(found.members.size(), 1U);
    EXPECT_EQ(found.members[0].size, size);
    EXPECT_FALSE(parser.Finish());
  }
}

TEST(TarParser, PassesDirectoriesOver) {
  std::string directory = TarFileOf({"d/", ""});
  Patch(directory, 0, 156, "5");
  Found found;
  ASSERT_TRUE(Parse(directory + TarOf({{"d/a.txt", "x"}}), found));
  ASSERT_EQ(found.members.size(), 1U);
  EXPECT_EQ(found.members[0].begin, internal::kTarBlock);
}

TEST(TarParser, RefusesAnArchiveCutAnywhere) {
  const std::string tar = TarOf({{"a.txt", std::string(700, 'x')}, {std::string(200, 'n') + ".txt", "y"}});
  for (std::size_t size = 0; size + internal::kTarBlock < tar.size(); ++size) {
    const Error error = ErrorOf(std::string_view(tar).substr(0, size));
    ASSERT_EQ(error.code, ErrorCode::kUndecodable) << size;
    ASSERT_THAT(error.message, HasSubstr("x.tar: ")) << size;
  }
}

struct BadTar {
  const char* name;
  std::string tar;
  const char* message;
};

std::vector<BadTar> BadTars() {
  const auto typed = [](char type) {
    std::string tar = TarOf({{"m.txt", ""}});
    Patch(tar, 0, 156, std::string(1, type));
    return tar;
  };
  const auto with_size = [](std::string_view size) {
    std::string tar = TarOf({{"m.txt", "abc"}});
    Patch(tar, 0, 124, size);
    return tar;
  };
  const auto with_records = [](const std::string& records, char type) {
    std::string pax = TarFileOf({"p", records});
    Patch(pax, 0, 156, std::string(1, type));
    return pax + TarOf({{"m.txt", "abc"}});
  };
  std::string changed = TarOf({{"m.txt", "abc"}});
  changed[3] = 'X';
  return {{"hard link", typed('1'), "a hard link"},
          {"symbolic link", typed('2'), "a symbolic link"},
          {"device", typed('3'), "a device"},
          {"pipe", typed('6'), "a pipe"},
          {"sparse", typed('S'), "a sparse file"},
          {"volume", typed('M'), "another volume"},
          {"unknown type", typed('Z'), "of type 'Z'"},
          {"sparse of pax", with_records("22 GNU.sparse.major=1\n", 'x'), "a sparse file"},
          {"pax of all", with_records("12 path=m.x\n", 'g'), "gives all members one path"},
          {"pax cut", with_records("99 path=m.txt\n", 'x'), "pax records are damaged"},
          {"pax without =", with_records("8 path x\n", 'x'), "pax records are damaged"},
          {"pax size", with_records("12 size=1x3\n", 'x'), "is no number"},
          {"size of letters", with_size("0000000000z"), "is no number"},
          {"negative size", with_size(std::string(12, '\xff')), "is no number"},
          {"size too large", with_size(std::string_view("\x80\x7f\0\0\0\0\0\0\0\0\0\x01", 12)), "is no number"},
          {"size that lies", with_size("00000007777"), "the size is wrong"},
          {"checksum", changed, "its checksum is wrong"},
          {"gzip", std::string("\x1f\x8b\x08") + std::string(600, 'z'), "compressed (gzip)"},
          {"two archives", TarOf({{"m.txt", "abc"}}) + TarOf({{"n.txt", "abc"}}), "behind the archive's end"},
          {"no bytes", "", "has no end"}};
}

TEST(TarParser, RefusesWhatWouldLoseMembers) {
  for (const BadTar& bad : BadTars()) {
    const Error error = ErrorOf(bad.tar);
    EXPECT_EQ(error.code, ErrorCode::kUndecodable) << bad.name;
    EXPECT_THAT(error.message, HasSubstr(bad.message)) << bad.name;
    EXPECT_THAT(error.message, ::testing::ContainsRegex("^x.tar: .*byte [0-9]+: ")) << bad.name;
  }
}

TEST(TarParser, SurvivesRandomBytes) {
  std::mt19937 random(7);
  const std::string tar = TarOf({{"a.txt", "hello"}, {std::string(130, 'x') + ".jpg", "content"}});
  for (int round = 0; round < 20'000; ++round) {
    std::string changed = tar;
    for (int i = 0; i < 3; ++i) changed[random() % changed.size()] = static_cast<char>(random());
    Found found;
    static_cast<void>(Parse(changed, found, 1 + random() % 700));
    for (std::size_t i = 0; i < found.members.size(); ++i) EXPECT_LE(found.members[i].data, tar.size());
  }
}

}  // namespace
}  // namespace gcsflux::testing
