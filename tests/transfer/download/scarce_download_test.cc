// Memory runs out at each of a download's own allocations in turn.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "support/watched_memory.h"
#include "transfer/download/download_run.h"

namespace gcsflux::internal {
namespace {

// Repeats its first group once.
class RepeatedFetch : public GroupFetch {
 public:
  RepeatedFetch(bool& is_repeated, GroupPlan group) : is_repeated_(is_repeated), group_(group) {}
  Result<void> FetchRange(std::size_t, const std::stop_token&) override { return {}; }
  GroupOutcome Finish(const std::stop_token&) override {
    const bool is_to_be_repeated = group_.first == 0 && !std::exchange(is_repeated_, true);
    return {.is_to_be_repeated = is_to_be_repeated, .errors = std::vector<std::optional<Error>>(group_.count)};
  }

 private:
  bool& is_repeated_;
  const GroupPlan group_;
};

class KeepingRecipient : public Recipient {
 public:
  bool Admit(const GroupPlan&) override { return true; }
  Result<std::vector<Destination>> DestinationsOf(const GroupPlan& group) override {
    return std::vector<Destination>(group.count);
  }
  void OnGroup(const FinishedGroup& group) override {
    for (auto& error : group.errors) errors.push_back(error);
  }
  void OnRunFailed(const Error& error) noexcept override { failure = error; }

  std::vector<std::optional<Error>> errors;
  std::optional<Error> failure;
};

TEST(ScarceDownload, FailsCleanlyWhereverMemoryRunsOut) {
  int failures = 0;
  for (bool has_failed = true; has_failed; ++failures) {
    SCOPED_TRACE("allocation " + std::to_string(failures));
    bool is_repeated = false;
    KeepingRecipient recipient;
    const FetchMethod method{
        .plan = [](std::size_t first) { return std::optional(GroupPlan{.first = first, .count = 2, .ranges = 3}); },
        .begin = [&](const GroupPlan& group,
                     std::span<Destination>) { return std::make_unique<RepeatedFetch>(is_repeated, group); }};
    const auto run = std::make_shared<DownloadRun>(std::weak_ptr<RequestSlots>(), method, 4, recipient);
    {
      const testing::ScarceMemory scarce(1, failures);
      while (const auto task = run->Take()) task();
      has_failed = testing::ScarceMemory::has_failed();
    }
    run->Wait();
    bool is_told = recipient.failure.has_value();
    for (const auto& error : recipient.errors) is_told = is_told || error;
    EXPECT_EQ(is_told, has_failed);
    EXPECT_TRUE(recipient.failure || recipient.errors.size() == 4);
  }
  EXPECT_GE(failures, 10);
}

}  // namespace
}  // namespace gcsflux::internal
