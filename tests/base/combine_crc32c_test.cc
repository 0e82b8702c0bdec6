#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/crc32c.h"

namespace gcsflux::internal {
namespace {

TEST(CombineCrc32c, EqualsTheChecksumOfTheConcatenation) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(100'000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  for (const std::size_t at : {0U, 1U, 2U, 63U, 64U, 4096U, 65'537U, 99'999U, 100'000U}) {
    const auto first = std::span(bytes).first(at);
    const auto second = std::span(bytes).subspan(at);
    EXPECT_EQ(CombineCrc32c(ExtendCrc32c(0, first), ExtendCrc32c(0, second), second.size()), ExtendCrc32c(0, bytes))
        << at;
  }
}

TEST(CombineCrc32c, AcceptsLengthsBeyond32Bits) {
  // A run of zero bytes can be combined from itself.
  const std::vector<std::byte> zeros(1 << 20);
  std::uint32_t crc = ExtendCrc32c(0, zeros);
  std::uint64_t length = zeros.size();
  for (int i = 0; i < 14; ++i) {
    crc = CombineCrc32c(crc, crc, length);
    length *= 2;
  }
  std::uint32_t want = 0;
  for (std::uint64_t done = 0; done < length; done += zeros.size()) want = ExtendCrc32c(want, zeros);
  EXPECT_EQ(crc, want);
}

}  // namespace
}  // namespace gcsflux::internal
