#include "base/generated_bytes.h"

#include <gtest/gtest.h>

namespace gcsflux::conformance {
namespace {

std::string Hex(const std::string& bytes) {
  std::string hex;
  for (const char byte : bytes) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
    hex += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
}

// Another implementation of splitmix64, in Python, computed the wanted bytes.
TEST(GeneratedBytes, AreSplitmix64InLittleEndian) {
  EXPECT_EQ(Hex(Generate({.size = 24, .seed = 7})), "d70d3259e4e1cb631c663cf4d73c4c04022ab1ba804098e6");
}

TEST(GeneratedBytes, SliceEqualsPartOfTheWhole) {
  const std::string whole = Generate({.size = 100, .seed = 7});
  for (std::uint64_t offset = 0; offset < 20; ++offset) {
    EXPECT_EQ(Generate({.size = 50, .seed = 7, .offset = offset}), whole.substr(offset, 50)) << "offset " << offset;
  }
}

TEST(GeneratedBytes, DifferBySeed) { EXPECT_NE(Generate({.size = 16, .seed = 1}), Generate({.size = 16, .seed = 2})); }

}  // namespace
}  // namespace gcsflux::conformance
