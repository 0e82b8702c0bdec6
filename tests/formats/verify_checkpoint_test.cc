#include <gmock/gmock.h>

#include "formats/checkpoint_reader.h"
#include "formats/made_tensors.h"

namespace gcsflux::formats_tests {
namespace {

using ::testing::UnorderedElementsAre;

TEST(VerifyCheckpoint, NamesTheChecksumOfTheBytes) {
  std::vector<MadeTensor> tensors = SomeTensors();
  tensors.push_back({"large", DType::kUint8, {3'000'000}, Varied(3'000'000)});
  const std::uint64_t bytes = 96 + 16 + 8 + 3 + 3'000'000;
  for (const auto& [file, is_covered] : {std::pair{TorchFileOf(tensors), true}, std::pair{SafetensorsOf(tensors), true},
                                         std::pair{SafetensorsOf(tensors, false), false}}) {
    const auto report = VerifyCheckpoint(*OpenedAny(file));
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->bytes, bytes);
    EXPECT_EQ(report->storages, tensors.size());
    EXPECT_EQ(report->damaged, 0U);
    EXPECT_EQ(report->verified_bytes, is_covered ? bytes : 0);
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
    std::vector<std::string> damaged;
    const auto checkpoint = OpenedAny(file);
    const auto report = VerifyCheckpoint(*checkpoint, [&](const VerifiedStorage& one) {
      if (one.damage) damaged.push_back(one.tensor);
    });
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->damaged, 2U);
    EXPECT_EQ(report->storages, 6U);
    EXPECT_EQ(report->verified_bytes, 96U + 8 + 3);
    EXPECT_THAT(damaged, UnorderedElementsAre("net.bias", "large"));
  }
}

}  // namespace
}  // namespace gcsflux::formats_tests
