#include <gmock/gmock.h>

#include "formats/checkpoint_reader.h"
#include "formats/made_tensors.h"

namespace gcsflux::formats_tests {
namespace {

using ::testing::UnorderedElementsAre;

std::uint64_t VerifiedBytes(const std::vector<VerifiedStorage>& storages) {
  std::uint64_t bytes = 0;
  for (const VerifiedStorage& one : storages) bytes += one.is_verified ? one.bytes : 0;
  return bytes;
}

TEST(VerifyCheckpoint, NamesTheChecksumOfTheBytes) {
  std::vector<MadeTensor> tensors = SomeTensors();
  tensors.push_back({"large", DType::kUint8, {3'000'000}, Varied(3'000'000)});
  const std::uint64_t bytes = 96 + 16 + 8 + 3 + 3'000'000;
  for (const auto& [file, is_covered] : {std::pair{TorchFileOf(tensors), true}, std::pair{SafetensorsOf(tensors), true},
                                         std::pair{SafetensorsOf(tensors, false), false}}) {
    const auto storages = VerifyCheckpoint(*OpenedAny(file));
    ASSERT_TRUE(storages.ok()) << storages.error().message;
    EXPECT_EQ(storages->size(), tensors.size());
    std::uint64_t sum = 0;
    for (const VerifiedStorage& one : *storages) {
      sum += one.bytes;
      EXPECT_FALSE(one.damage) << one.tensor;
    }
    EXPECT_EQ(sum, bytes);
    EXPECT_EQ(VerifiedBytes(*storages), is_covered ? bytes : 0);
  }
}

TEST(VerifyCheckpoint, NamesEachDamagedStorage) {
  std::vector<MadeTensor> tensors = SomeTensors();
  tensors.push_back({"large", DType::kUint8, {3'000'000}, Varied(3'000'000, 5)});
  for (const std::string& whole : {TorchFileOf(tensors), SafetensorsOf(tensors)}) {
    std::string file = whole;
    for (const std::size_t i : {1U, 5U}) {
      const std::size_t at = file.find(tensors[i].bytes);
      ASSERT_NE(at, file.npos);
      file[at] = static_cast<char>(file[at] ^ 1);
    }
    std::vector<std::string> told;
    const auto checkpoint = OpenedAny(file);
    const auto storages = VerifyCheckpoint(*checkpoint, [&](const VerifiedStorage& one) {
      if (one.damage) told.push_back(one.tensor);
    });
    ASSERT_TRUE(storages.ok()) << storages.error().message;
    std::vector<std::string> damaged;
    for (const VerifiedStorage& one : *storages) {
      if (one.damage) damaged.push_back(one.tensor);
    }
    EXPECT_EQ(storages->size(), 6U);
    EXPECT_EQ(VerifiedBytes(*storages), 96U + 8 + 3);
    EXPECT_THAT(damaged, UnorderedElementsAre("net.bias", "large"));
    EXPECT_EQ(told, damaged);
  }
}

}  // namespace
}  // namespace gcsflux::formats_tests
