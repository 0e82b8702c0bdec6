// Slices whose rows are not contiguous in the whole: any range of the whole consists of the right bytes of the slice,
// and of no others.
#include "formats/safetensors/slice_window.h"

#include <gtest/gtest.h>

#include <random>

#include "formats/made_tensors.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using internal::PlaceWindow;
using internal::SliceOfWhole;
using internal::WindowOf;
using testing::ErrorOf;
using testing::ValueOf;
using Sizes = std::vector<std::int64_t>;

// The places in the whole of the slice's elements, in the slice's order.
std::vector<std::uint64_t> PlacesOf(const SliceOfWhole& slice) {
  const Sizes strides = ContiguousStrides(slice.whole_shape);
  const std::uint64_t count = *ElementCount(slice.shape);
  std::vector<std::uint64_t> places;
  for (std::uint64_t element = 0; element < count; ++element) {
    std::uint64_t left = element;
    std::uint64_t place = 0;
    for (std::size_t i = slice.shape.size(); i-- > 0;) {
      const auto size = static_cast<std::uint64_t>(slice.shape[i]);
      place += (static_cast<std::uint64_t>(slice.offsets[i]) + left % size) * static_cast<std::uint64_t>(strides[i]);
      left /= size;
    }
    places.push_back(place);
  }
  return places;
}

TEST(SliceWindow, ContainsExactlyTheWantedElements) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
    Sizes whole, offsets, shape;
    for (std::int64_t left = 1 + below(4); left > 0; --left) {
      whole.push_back(1 + below(6));
      shape.push_back(1 + below(static_cast<std::uint64_t>(whole.back())));
      offsets.push_back(below(static_cast<std::uint64_t>(whole.back() - shape.back() + 1)));
    }
    const SliceOfWhole slice{.offsets = offsets, .shape = shape, .whole_shape = whole};
    const std::uint64_t size = *ElementCount(whole);
    const auto begin = static_cast<std::uint64_t>(below(size + 1));
    const FileRange wanted{begin, begin + static_cast<std::uint64_t>(below(size - begin + 1))};
    const auto places = PlacesOf(slice);
    const FileRange window = WindowOf(slice, wanted);
    std::string bytes;
    std::string expected(static_cast<std::size_t>(wanted.size()), '.');
    for (std::uint64_t element = 0; element < places.size(); ++element) {
      const bool is_wanted = places[element] >= wanted.begin && places[element] < wanted.end;
      ASSERT_EQ(is_wanted, element >= window.begin && element < window.end) << "element " << element;
      if (!is_wanted) continue;
      bytes += static_cast<char>('a' + element % 26);
      expected[static_cast<std::size_t>(places[element] - wanted.begin)] = bytes.back();
    }
    std::string placed(static_cast<std::size_t>(wanted.size()), '.');
    PlaceWindow(slice, window, BytesOf(bytes), wanted, std::as_writable_bytes(std::span(placed)));
    EXPECT_EQ(placed, expected);
  }
}

/// Two files, each with half of the columns of a tensor of 100 rows of 2000 bytes.
class ColumnsTest : public ::testing::Test {
 public:
  static std::string HalfOf(int half) { return FileOf(half, Varied(100'000, static_cast<unsigned>(half))); }
  static std::string FileOf(int half, const std::string& bytes) {
    const std::string offset = half == 0 ? "0" : "1000";
    const auto rows = static_cast<std::int64_t>(bytes.size() / 1000);
    return SafetensorsOf({{"columns", DType::kUint8, {rows, 1000}, bytes}}, true,
                         {{"DCP_SHARDING_INFO", R"({"columns":{"saved_offsets":[0,)" + offset + "]}}"}});
  }

 protected:
  StoredCheckpoint Open() { return *internal::OpenSafetensorsFiles("columns", {first_.counted, second_.counted}); }

  std::string first_file_ = HalfOf(0);
  std::string second_file_ = HalfOf(1);
  CountedSource first_{SourceOver(first_file_)};
  CountedSource second_{SourceOver(second_file_)};
};

TEST_F(ColumnsTest, ReadOnlyTheWantedRows) {
  const StoredCheckpoint checkpoint = Open();
  const StoredTensor tensor = ValueOf(checkpoint.Find("columns"));
  const std::uint64_t before = first_.bytes + second_.bytes;
  std::string rows(6000, '\0');
  ASSERT_TRUE(checkpoint.ReadTensor(*RowsOf(tensor, 40, 43), std::as_writable_bytes(std::span(rows))).ok());
  EXPECT_EQ(first_.bytes + second_.bytes - before, rows.size());
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(rows.substr(row * 2000, 1000), Varied(100'000, 0).substr((40 + row) * 1000, 1000));
    EXPECT_EQ(rows.substr(row * 2000 + 1000, 1000), Varied(100'000, 1).substr((40 + row) * 1000, 1000));
  }
}

TEST_F(ColumnsTest, AreVerifiedByTheirChecksums) {
  const ByteSink ignore = [](std::span<const std::byte>) { return Result<void>(); };
  EXPECT_TRUE(Open().reader().StreamStorage(0, ignore).ok());
  second_file_[second_file_.size() - 70'000] ^= 1;
  const Error error = ErrorOf(Open().reader().StreamStorage(0, ignore));
  EXPECT_EQ(error.code, ErrorCode::kCorrupted);
  EXPECT_NE(error.message.find("'columns'"), error.message.npos) << error.message;
}

// So large that it arrives in pieces: none of them holds all of a slice.
TEST(LargeColumns, AreVerifiedByTheirChecksums) {
  const std::string half(20'000'000, 'x');
  const std::string first = ColumnsTest::FileOf(0, half);
  std::string second = ColumnsTest::FileOf(1, half);
  const auto stream = [&] {
    std::uint64_t bytes = 0;
    const auto checkpoint = internal::OpenSafetensorsFiles("columns", {SourceOver(first), SourceOver(second)});
    auto streamed = checkpoint->reader().StreamStorage(0, [&](std::span<const std::byte> piece) {
      bytes += piece.size();
      return Result<void>();
    });
    EXPECT_EQ(bytes, 2 * half.size());
    return streamed;
  };
  EXPECT_TRUE(stream().ok());
  second.back() = 'y';
  EXPECT_EQ(ErrorOf(stream()).code, ErrorCode::kCorrupted);
}

}  // namespace
}  // namespace gcsflux::formats_tests
