// Corrupted bytes are read a second time, in case the transfer corrupted them. The checksum of the first answer is
// still used then, if the second one has none.
#include <gtest/gtest.h>

#include "lies/paths.h"
#include "support/fails_with.h"

namespace gcsflux::testing {
namespace {

constexpr Lie kWrongBytes{Lie::Where::kMedia, "bytes", Lie::How::kOther};

// A part of an object has no checksum.
std::vector<Path> PathsOfWholeObjects() {
  std::vector<Path> paths = ReadPaths();
  std::erase_if(paths,
                [](const Path& path) { return path.column == Column::kRange || path.column == Column::kPinnedRange; });
  return paths;
}

class RepeatedReadTest : public ::testing::TestWithParam<Path> {};

TEST_P(RepeatedReadTest, IsVerifiedByTheChecksumOfTheFirst) {
  const LyingService service(Content(), kWrongBytes);
  const auto outcome = GetParam().run(*Client::Create({.endpoint = service.endpoint(), .hedge_budget = 0}), service);
  EXPECT_TRUE(testing::FailsWith(outcome.result, ErrorCode::kCorrupted));
  EXPECT_GE(service.lies(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Reads, RepeatedReadTest, ::testing::ValuesIn(PathsOfWholeObjects()),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace gcsflux::testing
