// Event files without a writer: framing, messages, damage.
#include "formats/events/event_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "base/text/hex.h"
#include "formats/events/event_records.h"
#include "formats/events/protobuf.h"
#include "support/fails_with.h"

namespace gcsflux::internal {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::HasSubstr;
using Scalar = std::tuple<std::string, std::int64_t, float>;

std::string FileOf(const std::vector<std::string>& messages) {
  std::string file;
  for (const std::string& message : messages) AppendRecord(file, message);
  return file;
}

std::vector<Scalar> ScalarsOf(const std::string& file) {
  std::vector<Scalar> scalars;
  const auto read = ReadScalars(
      file, "file", [&](const EventHead& head, float value) { scalars.emplace_back(head.tag, head.step, value); });
  EXPECT_TRUE(read.ok()) << read.error().message;
  return scalars;
}

EventHead HeadOf(std::string_view tag, std::int64_t step) { return {.wall_time = 1.5, .step = step, .tag = tag}; }

TEST(EventMessages, ARecordIsFramedAsTensorBoardDoes) {
  EXPECT_EQ(HexEncode(FileOf({"gcsflux"})), "0700000000000000bbd79f11676373666c75786e14ca41");
}

TEST(EventMessages, ScalarsAreReadBackAndOthersArePassedOver) {
  const std::string file =
      FileOf({VersionEvent(1), ScalarEvent(HeadOf("loss", 7), 0.5F), TextEvent(HeadOf("note", 7), "x"),
              HistogramEvent(HeadOf("weights", 8), std::array{1.0F, 2.0F}),
              ImageEvent(HeadOf("image", 8), {1, 1, 1, "png"}), ScalarEvent(HeadOf("loss", -3), 2)});
  EXPECT_THAT(ScalarsOf(file), ElementsAre(Scalar("loss", 7, 0.5F), Scalar("loss", -3, 2.0F)));
}

TEST(EventMessages, ScalarsOfTensorFlow2AreRead) {
  for (const int field : {4, 5}) {  // tensor_content, float_val
    ProtobufWriter tensor;
    tensor.Varint(1, 1).Bytes(field, std::string("\0\0\x80\x3F", 4));
    ProtobufWriter value;
    value.Bytes(1, "acc").Bytes(8, tensor.bytes());
    ProtobufWriter summary;
    summary.Bytes(1, value.bytes());
    ProtobufWriter event;
    event.Varint(2, 3).Bytes(5, summary.bytes());
    EXPECT_THAT(ScalarsOf(FileOf({event.bytes()})), ElementsAre(Scalar("acc", 3, 1.0F))) << field;
  }
}

TEST(EventMessages, ARecordThatIsCutOffIsNotReadYet) {
  const std::string first = FileOf({ScalarEvent(HeadOf("loss", 1), 1)});
  const std::string both = first + first;
  for (std::size_t size = first.size(); size < both.size(); ++size) {
    std::size_t scalars = 0;
    const auto read =
        ReadScalars(std::string_view(both).substr(0, size), "file", [&](const EventHead&, float) { ++scalars; });
    ASSERT_TRUE(read.ok()) << size;
    EXPECT_EQ(*read, first.size()) << size;
    EXPECT_EQ(scalars, 1U) << size;
  }
}

TEST(EventMessages, EachWrongByteIsFound) {
  const std::string file = FileOf({ScalarEvent(HeadOf("loss", 1), 1), ScalarEvent(HeadOf("loss", 2), 2)});
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const auto read = ReadScalars(damaged, "gs://bkt/file", [](const EventHead&, float) {});
    EXPECT_TRUE(FailsWith(read, ErrorCode::kUndecodable, HasSubstr("gs://bkt/file: byte"))) << at;
  }
}

TEST(EventMessages, ARecordOfOtherBytesIsNoEvent) {
  for (const std::string payload : {"\xFF", "\x0A\x7Fxx", "\x2A\x03\x0A\x09x", "\x0B", "\x80"}) {
    const auto read = ReadScalars(FileOf({payload}), "file", [](const EventHead&, float) {});
    EXPECT_TRUE(FailsWith(read, ErrorCode::kUndecodable, HasSubstr("no event")));
  }
}

// The histogram's fields: the numbers, and the lengths of its lists.
struct Histogram {
  std::vector<double> numbers;
  std::vector<std::vector<double>> lists;
};

Histogram HistogramIn(const std::string& event) {
  const auto field_of = [](std::string_view message, std::uint64_t number) -> std::string_view {
    ProtobufReader reader(message);
    while (const auto field = reader.Next()) {
      if (field->number == number && field->is_bytes) return field->bytes;
    }
    return {};
  };
  Histogram histogram;
  ProtobufReader reader(field_of(field_of(field_of(event, 5), 1), 5));
  while (const auto field = reader.Next()) {
    if (!field->is_bytes) {
      histogram.numbers.push_back(std::bit_cast<double>(field->value));
      continue;
    }
    auto& list = histogram.lists.emplace_back();
    for (std::size_t at = 0; at < field->bytes.size(); at += 8) {
      list.push_back(std::bit_cast<double>(FromLittleEndian<std::uint64_t>(field->bytes.substr(at))));
    }
  }
  return histogram;
}

TEST(EventMessages, AHistogramCountsEachFiniteValueOnce) {
  std::vector<float> values;
  for (int i = 0; i <= 300; ++i) values.push_back(static_cast<float>(i));
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  values.push_back(-INFINITY);
  const Histogram histogram = HistogramIn(HistogramEvent(HeadOf("w", 1), values));
  EXPECT_THAT(histogram.numbers, ElementsAre(0, 300, 301, 45150, 9045050));  // min, max, num, sum, sum of squares
  ASSERT_EQ(histogram.lists.size(), 2U);
  EXPECT_EQ(histogram.lists[0].size(), 30U);
  EXPECT_EQ(histogram.lists[0].back(), 300);
  EXPECT_EQ(histogram.lists[1].front(), 10);
  EXPECT_EQ(histogram.lists[1].back(), 11);
}

TEST(EventMessages, AHistogramOfEqualValuesHasOneBucket) {
  const Histogram histogram = HistogramIn(HistogramEvent(HeadOf("w", 1), std::array{2.0F, 2.0F, 2.0F}));
  EXPECT_THAT(histogram.lists, ElementsAre(ElementsAre(2), ElementsAre(3)));
}

TEST(EventMessages, AHistogramOfExtremeValuesCountsAll) {
  constexpr float kMost = std::numeric_limits<float>::max();
  const Histogram histogram = HistogramIn(HistogramEvent(HeadOf("w", 1), std::array{-kMost, kMost, 0.0F}));
  EXPECT_EQ(histogram.lists[1].front() + histogram.lists[1][15] + histogram.lists[1].back(), 3);
}

TEST(EventMessages, AHistogramWithoutFiniteValuesIsNone) {
  EXPECT_EQ(HistogramEvent(HeadOf("w", 1), {}), "");
  EXPECT_EQ(HistogramEvent(HeadOf("w", 1), std::array{std::numeric_limits<float>::quiet_NaN()}), "");
}

}  // namespace
}  // namespace gcsflux::internal
