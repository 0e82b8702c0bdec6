// A save without memory for its copy must not block the slot of the next one.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "checkpoints/saves/save_queue.h"
#include "gcsflux/client.h"
#include "support/result.h"
#include "support/watched_memory.h"

namespace gcsflux::internal {
namespace {

SaveRequest Request(const std::string& state) {
  SaveRequest request{
      .step = 1,
      .contents = {.storages = {AsBytes(state)}},
      .commit = [](const StateContents&, const std::stop_token&) -> Result<SavedStep> { return SavedStep{}; }};
  request.contents.root.any = std::string(8 << 10, 'r');  // It is copied too.
  return request;
}

TEST(ScarceSnapshot, FreesItsSlot) {
  const std::string state(16 << 10, 's');
  auto created = SaveQueue::Create({.when_busy = WhenBusy::kRefuse});
  ASSERT_TRUE(created.ok());
  const auto queue = *std::move(created);
  int failures = 0;
  for (bool has_failed = true; has_failed; ++failures) {
    SaveRequest request = Request(state);
    std::optional<Result<PendingSave>> save;
    {
      const testing::ScarceMemory scarce(4 << 10, failures);
      save = queue->Submit(std::move(request));
      has_failed = testing::ScarceMemory::has_failed();
    }
    if (has_failed) {
      EXPECT_EQ(testing::ErrorOf(*save).code, ErrorCode::kLocalIo);
      EXPECT_NE(testing::ErrorOf(*save).message.find("no memory for a snapshot"), std::string::npos);
    } else {
      ASSERT_TRUE(save->ok()) << save->error().message;
      EXPECT_TRUE((*save)->WaitCommitted().ok());
    }
    queue->WaitIdle();
  }
  EXPECT_GE(failures, 3) << "the snapshot and the values";
}

}  // namespace
}  // namespace gcsflux::internal
