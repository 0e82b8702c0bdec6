#include "transfer/file/partial_file.h"

#include <gtest/gtest.h>

#include <string>

#include "gcsflux/client.h"
#include "support/test_directory.h"

namespace gcsflux::internal {
namespace {

class PartialFileTest : public ::testing::Test {
 protected:
  // What a later download loads if the file ends with this state, at that offset.
  std::optional<PartialState> LoadedFrom(std::uint64_t offset, const PartialState& state) {
    const auto file = PartialFile::Open(directory_.path() / "file");
    EXPECT_TRUE(file.ok());
    EXPECT_TRUE((*file)->Clear(0).ok());
    EXPECT_TRUE((*file)->Write(offset, AsBytes(FormatPartialState(state))).ok());
    return (*file)->Load();
  }

  testing::TestDirectory directory_;
};

// Other offsets are those of a truncated or extended file, so its bytes may be missing.
TEST_F(PartialFileTest, LoadsAStateOnlyDirectlyAfterItsBytes) {
  const PartialState state = StartOf("gs://b/o", 7, 1'000, 300);
  EXPECT_EQ(LoadedFrom(1'000, state), state);
  for (const std::uint64_t offset : {0U, 1U, 999U, 1'001U, 2'000U}) {
    EXPECT_EQ(LoadedFrom(offset, state), std::nullopt) << offset;
  }
}

// The file is shorter than the bytes that the state describes.
TEST_F(PartialFileTest, LoadsNoStateWithoutItsBytes) {
  const PartialState state = StartOf("gs://b/o", 7, 1'000'000, 300'000);
  EXPECT_EQ(LoadedFrom(0, state), std::nullopt);
  EXPECT_EQ(LoadedFrom(1'000'000, state), state);
}

}  // namespace
}  // namespace gcsflux::internal
