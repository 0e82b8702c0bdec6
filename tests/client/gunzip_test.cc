#include "client/gunzip.h"

#include <gtest/gtest.h>

#include <string>

#include "support/gzip.h"
#include "support/result.h"

namespace gcsflux::internal {
namespace {

using testing::Gzip;

// Compresses well in some places and badly in others, so that pieces of input give none, some and many pieces of
// output.
std::string Text() {
  std::string text(1'000'000, 'a');
  std::uint32_t state = 1;
  for (int i = 0; i < 200'000; ++i) text += static_cast<char>((state = state * 1'664'525 + 1'013'904'223) >> 24);
  return text;
}

struct Outcome {
  std::string text;
  Result<void> finished;
};

Outcome Unzip(std::string_view data, std::size_t piece) {
  Gunzip gunzip;
  std::string text;
  const ByteSink append = [&](std::span<const std::byte> bytes) -> Result<void> {
    EXPECT_FALSE(bytes.empty());
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
  for (; !data.empty(); data.remove_prefix(std::min(piece, data.size()))) {
    EXPECT_TRUE(gunzip.Write(AsBytes(data.substr(0, piece)), append).ok());
  }
  EXPECT_EQ(gunzip.bytes(), text.size());
  return {text, gunzip.Finish()};
}

TEST(Gunzip, DecompressesInputOfAnyPieceSize) {
  const std::string text = Text();
  const std::string data = Gzip(text);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{16'384}, data.size()}) {
    const auto [got, finished] = Unzip(data, piece);
    EXPECT_TRUE(finished.ok()) << piece;
    EXPECT_TRUE(got == text) << piece;
  }
}

TEST(Gunzip, ReadsSeveralAndEmptyMembers) {
  const auto [got, finished] = Unzip(Gzip("one,") + Gzip("") + Gzip("two"), 3);
  EXPECT_TRUE(finished.ok());
  EXPECT_EQ(got, "one,two");
}

TEST(Gunzip, FailsForATruncatedOrCorruptEnd) {
  const std::string data = Gzip(Text());
  std::string flipped = data;
  flipped[data.size() - 6] ^= 1;  // of the member's own CRC
  struct Case {
    std::string data;
    const char* want;
  };
  for (const Case& one :
       {Case{"", "it has no end"}, Case{"no gzip data", "it is broken"},
        Case{data.substr(0, data.size() - 1), "it has no end"}, Case{data.substr(0, data.size() / 2), "it has no end"},
        Case{data + "behind it", "it is broken"}, Case{flipped, "it is broken"}}) {
    const Error error = testing::ErrorOf(Unzip(one.data, 1000).finished);
    EXPECT_EQ(error.code, ErrorCode::kUndecodable) << one.data.size();
    EXPECT_NE(error.message.find(one.want), std::string::npos) << one.data.size() << " bytes: " << error.message;
  }
}

TEST(Gunzip, ReturnsTheErrorOfItsSink) {
  Gunzip gunzip;
  const auto written = gunzip.Write(AsBytes(Gzip("text")), [](std::span<const std::byte>) -> Result<void> {
    return Error{ErrorCode::kLocalIo, "the disk is full"};
  });
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message, "the disk is full");
}

}  // namespace
}  // namespace gcsflux::internal
