// An object stored with other bytes than were sent is deleted, on every path that stores, and nothing else is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lies/paths.h"
#include "support/fails_with.h"

namespace gcsflux::testing {
namespace {

using ::testing::HasSubstr;

constexpr Lie kOtherBytes{Lie::Where::kResource, "hash", Lie::How::kOther};

std::vector<Path> UploadPaths() {
  std::vector<Path> paths = WritePaths();
  std::erase_if(paths, [](const Path& path) { return path.column < Column::kUpload; });
  return paths;
}

class CorruptedUploadTest : public ::testing::TestWithParam<Path> {};

TEST_P(CorruptedUploadTest, IsDeletedAndReported) {
  const LyingService service(Content(), kOtherBytes);
  const auto outcome = GetParam().run(*Client::Create({.endpoint = service.endpoint()}), service);
  EXPECT_TRUE(testing::FailsWith(outcome.result, ErrorCode::kCorrupted,
                                 HasSubstr("generation 7, which holds them, was deleted")));
  EXPECT_EQ(service.Count("DELETE /storage/v1/b/bkt/o/o"), 1U);
}

TEST_P(CorruptedUploadTest, IsNamedIfItCannotBeDeleted) {
  LyingService service(Content(), kOtherBytes);
  service.RefuseDeletions();
  const auto outcome = GetParam().run(*Client::Create({.endpoint = service.endpoint()}), service);
  EXPECT_TRUE(testing::FailsWith(outcome.result, ErrorCode::kCorrupted,
                                 HasSubstr("generation 7, which holds them, is still there")));
  EXPECT_EQ(service.Count("DELETE /storage/v1/b/bkt/o/o"), 1U);
}

TEST_P(CorruptedUploadTest, NeedsNoRequestsWithoutCorruption) {
  const LyingService service(Content());
  const auto outcome = GetParam().run(*Client::Create({.endpoint = service.endpoint()}), service);
  ASSERT_TRUE(outcome.result.ok()) << outcome.result.error().message;
  const bool is_by_hand = GetParam().name == "MultipartUpload";  // which lists its parts too
  const std::size_t wanted = GetParam().column == Column::kUpload    ? 1U
                             : GetParam().column == Column::kSession ? 3U
                                                                     : 4U;
  EXPECT_EQ(service.requests().size(), wanted + (is_by_hand ? 1U : 0U));
}

INSTANTIATE_TEST_SUITE_P(Writes, CorruptedUploadTest, ::testing::ValuesIn(UploadPaths()),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace gcsflux::testing
