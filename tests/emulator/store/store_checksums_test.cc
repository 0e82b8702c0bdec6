#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "http/hash_text.h"
#include "store/bytes/body.h"
#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string RandomBytes(std::mt19937& random, std::size_t size) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

TEST(Crc32c, MatchesThePublishedCheckValue) { EXPECT_EQ(ExtendCrc32c(0, Bytes("123456789")), 0xE3069283); }

TEST(Crc32c, IsZeroForNoBytes) { EXPECT_EQ(ExtendCrc32c(0, {}), 0U); }

TEST(Crc32c, IsTheSamePieceByPiece) {
  EXPECT_EQ(ExtendCrc32c(ExtendCrc32c(0, Bytes("1234")), Bytes("56789")), 0xE3069283);
}

TEST(Crc32c, CombinesToTheChecksumOfTheConcatenation) {
  std::mt19937 random(1);
  for (const std::size_t size : {0, 1, 7, 8, 255, 4096, 100'000}) {
    const std::string first = RandomBytes(random, 1000);
    const std::string second = RandomBytes(random, size);
    EXPECT_EQ(CombineCrc32c(ExtendCrc32c(0, Bytes(first)), ExtendCrc32c(0, Bytes(second)), size),
              ExtendCrc32c(0, Bytes(first + second)))
        << "second of " << size << " bytes";
  }
}

TEST(Crc32c, CombinesHugeLengths) {
  // Joining is associative: (a b) c and a (b c), with lengths that exercise every power.
  const std::uint64_t b_length = 0xFFFF'FFFF'FFFF;
  const std::uint64_t c_length = 0x1234'5678'9ABC;
  const std::uint32_t left = CombineCrc32c(CombineCrc32c(11, 22, b_length), 33, c_length);
  const std::uint32_t right = CombineCrc32c(11, CombineCrc32c(22, 33, c_length), b_length + c_length);
  EXPECT_EQ(left, right);
}

TEST(Body, KnowsItsHashes) {
  const Body body(Rope("hello"));
  EXPECT_EQ(EncodeCrc32c(body.crc32c()), "mnG7TA==");
  EXPECT_EQ(EncodeMd5(body.md5()), "XUFAKrxLKna5cZ2REBfFkg==");
}

TEST(Body, ComputesMd5OnlyOnRequest) {
  const Body body(Rope("hello"));
  EXPECT_FALSE(body.has_md5());
  (void)body.md5();
  EXPECT_TRUE(body.has_md5());
}

TEST(Body, GivesConcurrentThreadsTheSameMd5) {
  const Body body(Rope(std::string(1 << 20, 'x')));
  std::vector<Md5Digest> digests(8);
  std::vector<std::thread> threads;
  threads.reserve(digests.size());
  for (Md5Digest& digest : digests) threads.emplace_back([&] { digest = body.md5(); });
  for (std::thread& thread : threads) thread.join();
  for (const Md5Digest& digest : digests) EXPECT_EQ(digest, body.md5());
}

TEST(ConcatenateBodies, SharesTheBytesOfItsSources) {
  const std::vector<BodyPtr> sources = {std::make_shared<const Body>(Rope("one ")),
                                        std::make_shared<const Body>(Rope()),
                                        std::make_shared<const Body>(Rope("two"))};
  const BodyPtr joined = ConcatenateBodies(sources);
  EXPECT_EQ(joined->bytes().ToString(), "one two");
  EXPECT_EQ(joined->crc32c(), ExtendCrc32c(0, Bytes("one two")));
  const std::byte* source_memory = nullptr;
  const std::byte* joined_memory = nullptr;
  sources[2]->bytes().ForEachSpan(0, 3, [&](auto span) { return (source_memory = span.data()) != nullptr; });
  joined->bytes().ForEachSpan(4, 3, [&](auto span) { return (joined_memory = span.data()) != nullptr; });
  EXPECT_EQ(source_memory, joined_memory);
}

TEST(HashText, DecodesOnlyCompleteHashes) {
  EXPECT_EQ(DecodeCrc32c("mnG7TA=="), 0x9A71BB4C);
  for (const char* text : {"", "mnG7TA", "mnG7TA=", "mnG7", "mnG7TA==mnG7TA==", "mnG7T===", "m G7TA==", "mnG7TB=="}) {
    EXPECT_EQ(DecodeCrc32c(text), std::nullopt) << text;
  }
  EXPECT_TRUE(DecodeMd5("XUFAKrxLKna5cZ2REBfFkg==").has_value());
  EXPECT_EQ(DecodeMd5("XUFAKrxLKna5cZ2REBfF"), std::nullopt);
}

}  // namespace
}  // namespace gcsflux::emulator
