#include "transfer/downloader/batch_recipient.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stop_token>
#include <vector>

#include "support/fails_with.h"
#include "support/request_slots.h"

namespace gcsflux::internal {
namespace {

// Fetches nothing, and calls a function at its end.
class Ending : public GroupFetch {
 public:
  explicit Ending(std::function<void()> at_end) : at_end_(std::move(at_end)) {}
  Result<void> FetchRange(std::size_t, const std::stop_token&) override { return {}; }
  GroupOutcome Finish(const std::stop_token&) override {
    at_end_();
    return {};
  }

 private:
  const std::function<void()> at_end_;
};

// Of two sources, with a stop request while the one of this index is finished, by the only thread.
Result<std::vector<std::optional<Error>>> FetchStoppedAt(std::size_t index) {
  std::stop_source stop;
  const FetchMethod method{.plan = [](std::size_t first) { return GroupPlan{.first = first}; },
                           .begin =
                               [&](const GroupPlan& group, std::span<const Destination>) {
                                 return std::make_unique<Ending>([&stop, is_it = group.first == index] {
                                   if (is_it) stop.request_stop();
                                 });
                               }};
  const std::vector<std::span<std::byte>> destinations(2);
  return BatchRecipient(destinations, /*delivers_failures=*/false)
      .Fetch(testing::MakeSlots(1), method, stop.get_token());
}

TEST(BatchRecipient, IsCompleteIfStoppedAtItsLastObject) { EXPECT_TRUE(FetchStoppedAt(1).ok()); }

TEST(BatchRecipient, IsCancelledBeforeItsLastObject) {
  const auto fetched = FetchStoppedAt(0);
  ASSERT_TRUE(testing::FailsWith(fetched, ErrorCode::kCancelled));
  EXPECT_NE(fetched.error().message.find("cancelled after 1"), std::string::npos) << fetched.error().message;
}

TEST(BatchRecipient, FailsWithoutMemory) {
  const FetchMethod method{.plan = [](std::size_t) -> GroupPlan { throw std::bad_alloc(); }, .begin = nullptr};
  const std::vector<std::span<std::byte>> destinations(2);
  const auto fetched =
      BatchRecipient(destinations, /*delivers_failures=*/true).Fetch(testing::MakeSlots(1), method, {});
  ASSERT_FALSE(fetched.ok());
  EXPECT_EQ(fetched.error().message, "out of memory");
}

}  // namespace
}  // namespace gcsflux::internal
