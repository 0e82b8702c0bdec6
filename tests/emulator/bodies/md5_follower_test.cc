// The MD5 of a body that is still arriving.

#include "bodies/md5_follower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "store/bytes/md5.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::string RandomText(std::mt19937& random, std::size_t size) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

// Copies `text` into places of `place` bytes, as a receiver does, and reports each step. Steps have random sizes.
void Receive(Md5Follower& follower, std::vector<std::vector<std::byte>>& places, const std::string& text,
             std::size_t place, std::mt19937& random) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  for (std::size_t begin = 0; begin < bytes.size(); begin += place) {
    std::vector<std::byte>& memory = places.emplace_back(std::min(place, bytes.size() - begin));
    for (std::size_t at = 0; at < memory.size();) {
      const std::size_t step = std::min(memory.size() - at, std::size_t{1} + random() % 500'000);
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin + at), step,
                  memory.begin() + static_cast<std::ptrdiff_t>(at));
      follower.Append(std::span(memory).subspan(at, step));
      at += step;
    }
  }
}

TEST(Md5Stream, GivesADigestAndContinues) {
  const auto append = [](Md5Stream& md5, std::string_view text) { md5.Append(std::as_bytes(std::span(text))); };
  Md5Stream md5;
  EXPECT_EQ(md5.Digest(), ComputeMd5(Rope()));
  append(md5, "one");
  EXPECT_EQ(md5.Digest(), ComputeMd5(Rope("one")));
  Md5Stream copy = md5;
  append(md5, " two");
  append(copy, " three");
  EXPECT_EQ(md5.Digest(), ComputeMd5(Rope("one two")));
  EXPECT_EQ(copy.Digest(), ComputeMd5(Rope("one three")));
  EXPECT_EQ(md5.size(), 7U);
}

TEST(Md5Follower, HashesEveryByteInOrder) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kMiB - 1, kMiB, 5 * kMiB + 7}) {
    for (const std::size_t place : {std::size_t{64} << 10, kMiB, 4 * kMiB}) {
      const std::string text = RandomText(random, size);
      std::vector<std::vector<std::byte>> places;
      Md5Stream md5;
      Md5Follower follower(md5);
      Receive(follower, places, text, place, random);
      follower.Finish();
      EXPECT_EQ(md5.size(), size) << "in places of " << place;
      EXPECT_EQ(md5.Digest(), ComputeMd5(Rope(text))) << size << " bytes in places of " << place;
    }
  }
}

TEST(Md5Follower, ContinuesAGivenStream) {
  Md5Stream md5;
  const std::string first = "first ";
  const std::string second(3 * kMiB, 's');
  md5.Append(std::as_bytes(std::span(first)));
  Md5Follower follower(md5);
  follower.Append(std::as_bytes(std::span(second)));
  follower.Finish();
  EXPECT_EQ(md5.Digest(), ComputeMd5(Rope(first + second)));
}

TEST(Md5Follower, ReleasesTheBytesAtItsEnd) {
  Md5Stream md5;
  {
    const std::vector<std::byte> bytes(8 * kMiB);  // destroyed after the follower, whose thread may still read it
    Md5Follower follower(md5);
    follower.Append(bytes);
  }
  EXPECT_EQ(md5.size() % (8 * kMiB), 0U);  // all or nothing
}

}  // namespace
}  // namespace gcsflux::emulator
