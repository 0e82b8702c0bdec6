#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "formats/checkpoint_reader.h"
#include "formats/made_tensors.h"

namespace gcsflux::formats_tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<TensorDifference> Differences(const std::string& first, const std::string& second) {
  std::vector<std::string> told;
  const auto differences = CompareCheckpoints(*OpenedAny(first), *OpenedAny(second),
                                              [&](const TensorDifference& one) { told.push_back(one.name); });
  EXPECT_TRUE(differences.ok()) << differences.error().message;
  std::vector<std::string> names;
  for (const TensorDifference& one : *differences) names.push_back(one.name);
  EXPECT_EQ(names, told);
  return *differences;
}

// In the format that has the type.
std::string MadeFile(const MadeTensor& tensor) {
  return tensor.dtype == DType::kComplex32 ? TorchFileOf({tensor}) : SafetensorsOf({tensor});
}

template <class Number>
std::string BytesOfNumbers(std::initializer_list<Number> numbers) {
  std::string bytes;
  for (const Number number : numbers) bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
  return bytes;
}

TEST(CompareCheckpoints, NamesDifferences) {
  std::vector<MadeTensor> tensors = SomeTensors();
  const std::string first = TorchFileOf(tensors);
  EXPECT_TRUE(Differences(first, SafetensorsOf(tensors)).empty());
  tensors[0] = {"net.weight", DType::kFloat32, {4, 6}, tensors[0].bytes};
  tensors[4].bytes[1] = '\1';
  tensors[2].name = "other";
  const auto found = Differences(first, SafetensorsOf(tensors));
  ASSERT_EQ(found.size(), 4U);
  std::map<std::string, TensorDifference> by_name;
  for (const TensorDifference& one : found) by_name[one.name] = one;
  EXPECT_EQ(by_name["net.weight"].kind, "type or shape");
  EXPECT_THAT(by_name["net.weight"].why, AllOf(HasSubstr("float32 [6, 4]"), HasSubstr("float32 [4, 6]")));
  EXPECT_EQ(by_name["steps"].kind, "only in the first");
  EXPECT_EQ(by_name["other"].kind, "only in the second");
  EXPECT_EQ(by_name["mask"].kind, "elements");
  EXPECT_EQ(by_name["mask"].different_elements, 1U);
  EXPECT_EQ(by_name["mask"].largest, 1);
}

TEST(CompareCheckpoints, ReportsTheLargestDifference) {
  struct Case {
    DType dtype;
    std::string first;
    std::string second;
    double largest;
  };
  using enum DType;
  const std::uint64_t big = ~std::uint64_t{0};
  for (const Case& one : {
           Case{kFloat32, BytesOfNumbers({1.0F, 2.0F}), BytesOfNumbers({1.5F, 1.0F}), 1},
           Case{kFloat64, BytesOfNumbers({1e300, 0.0}), BytesOfNumbers({1e300, -0.25}), 0.25},
           Case{kFloat64, BytesOfNumbers({0.0}), BytesOfNumbers({-0.0}), 0},
           Case{kInt8, "\x80", "\x7F", 255},
           Case{kInt64, BytesOfNumbers({std::int64_t{1} << 62}), BytesOfNumbers({(std::int64_t{1} << 62) + 1}), 1},
           Case{kUint64, BytesOfNumbers({big}), BytesOfNumbers({big - 2}), 2},
           Case{kInt16, BytesOfNumbers<std::int16_t>({-3}), BytesOfNumbers<std::int16_t>({4}), 7},
           Case{kUint16, BytesOfNumbers<std::uint16_t>({65535}), BytesOfNumbers<std::uint16_t>({0}), 65535},
           Case{kFloat16, Number(0x3C00, 2), Number(0xC000, 2), 3},                // 1 and -2
           Case{kFloat16, Number(0x0001, 2), Number(0, 2), 5.960464477539063e-8},  // The smallest one.
           Case{kBfloat16, Number(0x3F80, 2), Number(0x4040, 2), 2},               // 1 and 3
           Case{kComplex64, BytesOfNumbers({1.0F, 5.0F}), BytesOfNumbers({2.0F, 2.0F}), 3},
           Case{kComplex32, Number(0x3C003C00, 4), Number(0x40003C00, 4), 1},
           Case{kFloat8E4m3fn, "\x7E", Number(0, 1), 448},
           Case{kFloat8E4m3fnuz, "\x7F", Number(0, 1), 240},
           Case{kFloat8E5m2, "\x7B", Number(0, 1), 57344},
           Case{kFloat8E5m2fnuz, "\x7F", Number(0, 1), 57344},
           Case{kFloat8E8m0fnu, "\x81", "\x80", 2},
       }) {
    const auto shape = std::vector<std::int64_t>{static_cast<std::int64_t>(one.first.size() / ElementBytes(one.dtype))};
    const auto found =
        Differences(MadeFile({"t", one.dtype, shape, one.first}), MadeFile({"t", one.dtype, shape, one.second}));
    ASSERT_EQ(found.size(), 1U) << DTypeName(one.dtype);
    EXPECT_EQ(found[0].largest, one.largest) << DTypeName(one.dtype);
  }
}

TEST(CompareCheckpoints, ReportsNanIfOneValueIsNan) {
  using enum DType;
  const auto of = [](DType dtype, const std::string& bytes) {
    return SafetensorsOf({{"t", dtype, {static_cast<std::int64_t>(bytes.size() / ElementBytes(dtype))}, bytes}});
  };
  for (const auto& [dtype, number, none] :
       {std::tuple{kFloat32, BytesOfNumbers({1.0F, 1.0F}), BytesOfNumbers({std::nanf(""), 2.0F})},
        std::tuple{kFloat8E4m3fn, std::string("\1"), std::string("\x7F")},
        std::tuple{kFloat8E4m3fnuz, std::string("\1"), std::string("\x80")},
        std::tuple{kFloat8E8m0fnu, std::string("\1"), std::string("\xFF")},
        std::tuple{kFloat16, Number(1, 2), Number(0x7C01, 2)}}) {
    const auto found = Differences(of(dtype, number), of(dtype, none));
    ASSERT_EQ(found.size(), 1U) << DTypeName(dtype);
    EXPECT_TRUE(std::isnan(found[0].largest)) << DTypeName(dtype);
  }
}

TEST(CompareCheckpoints, ComparesLargeTensorsInPieces) {
  const std::int64_t count = 9'000'001;
  MadeTensor tensor{"t", DType::kInt16, {count}, Varied(2 * static_cast<std::size_t>(count))};
  const std::string first = TorchFileOf({tensor});
  for (const std::size_t at : {0U, 4'194'303U, 4'194'304U, 9'000'000U}) {
    tensor.bytes[2 * at] = static_cast<char>(tensor.bytes[2 * at] ^ 1);
  }
  const auto found = Differences(first, SafetensorsOf({tensor}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].different_elements, 4U);
  EXPECT_EQ(found[0].largest, 1);
}

}  // namespace
}  // namespace gcsflux::formats_tests
