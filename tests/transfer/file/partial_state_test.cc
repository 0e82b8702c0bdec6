#include "transfer/file/partial_state.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/crc32c.h"
#include "gcsflux/client.h"

namespace gcsflux::internal {
namespace {

PartialState Example() {
  PartialState state = StartOf("gs://b/a name\nwith lines", 1'700'000'000'000'000, 1'000, 300);
  state.ranges[0] = {300, 0xFFFFFFFF};
  state.ranges[2] = {7, 1};
  return state;
}

TEST(PartialState, CoversAnObjectByRanges) {
  for (const std::uint64_t size : {0U, 1U, 299U, 300U, 301U, 600U, 1'000U}) {
    const PartialState state = StartOf("gs://b/o", 1, size, 300);
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < state.ranges.size(); ++i) {
      EXPECT_EQ(state.OffsetOf(i), end);
      EXPECT_GT(state.LengthOf(i), 0U);
      EXPECT_LE(state.LengthOf(i), 300U);
      end += state.LengthOf(i);
    }
    EXPECT_EQ(end, size);
  }
}

TEST(PartialState, HasAtMostAThousandRanges) {
  for (const std::uint64_t size :
       {std::uint64_t{999}, std::uint64_t{1'000}, std::uint64_t{5} << 40, std::numeric_limits<std::uint64_t>::max()}) {
    const PartialState state = StartOf("gs://b/o", 1, size, 1);
    EXPECT_LE(state.ranges.size(), 1'000U);
    EXPECT_LE(FormatPartialState(state).size(), kMostStateBytes - 1'100);  // The longest name.
  }
}

TEST(PartialState, RoundTrips) {
  EXPECT_EQ(ParsePartialState(FormatPartialState(Example())), Example());
  EXPECT_EQ(ParsePartialState("the object's bytes" + FormatPartialState(Example())), Example());
}

TEST(PartialState, HasAConstantLength) {
  PartialState state = Example();
  const auto length = FormatPartialState(state).size();
  state.ranges[1] = {299, 12};
  EXPECT_EQ(FormatPartialState(state).size(), length);
}

TEST(PartialState, DetectsEveryChangedByte) {
  const std::string text = FormatPartialState(Example());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(ParsePartialState(changed)) << "byte " << i;
    EXPECT_FALSE(ParsePartialState(text.substr(0, i))) << "the first " << i;
    EXPECT_FALSE(ParsePartialState(text.substr(i + 1))) << "from the byte behind " << i;
  }
}

TEST(PartialState, RefusesARangeLongerThanItsSize) {
  PartialState state = Example();
  state.ranges[3].done_bytes = 101;
  EXPECT_FALSE(ParsePartialState(FormatPartialState(state)));
}

TEST(PartialState, CombinesTheChecksumsOfItsRanges) {
  const std::string bytes(1'000, 'x');
  PartialState state = StartOf("gs://b/o", 1, bytes.size(), 300);
  for (std::size_t i = 0; i < state.ranges.size(); ++i) {
    const auto length = static_cast<std::size_t>(state.LengthOf(i));
    state.ranges[i] = {length, ExtendCrc32c(0, AsBytes(bytes).first(length))};
  }
  EXPECT_EQ(state.DoneBytes(), bytes.size());
  EXPECT_EQ(state.WholeCrc32c(), ExtendCrc32c(0, AsBytes(bytes)));
}

}  // namespace
}  // namespace gcsflux::internal
