#include "retry/retry_budget.h"

#include <gtest/gtest.h>

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;

const RetryBudget::TimePoint kNow{1h};

TEST(RetryBudget, AllowsABurst) {
  RetryBudget budget(0.2);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(budget.Take(kNow), 0ns) << i;
  EXPECT_EQ(budget.Take(kNow), 100ms) << "at 10 a second";
  EXPECT_EQ(budget.Take(kNow), 200ms);
}

TEST(RetryBudget, GrowsWithTimeAndWithFirstAttempts) {
  RetryBudget budget(0.2);
  for (int i = 0; i < 100; ++i) static_cast<void>(budget.Take(kNow));
  for (int i = 0; i < 50; ++i) budget.OnFirstAttempt();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(budget.Take(kNow), 0ns) << "a fifth of 50, " << i;
  EXPECT_GT(budget.Take(kNow), 0ns);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(budget.Take(kNow + 1s), 0ns) << "ten a second, one of them owed, " << i;
  EXPECT_GT(budget.Take(kNow + 1s), 0ns);
}

TEST(RetryBudget, SavesAtMostABurst) {
  RetryBudget budget(1.0);
  for (int i = 0; i < 10'000; ++i) budget.OnFirstAttempt();
  int paid = 0;
  while (budget.Take(kNow) == 0ns) ++paid;
  EXPECT_EQ(paid, 100);
}

TEST(RetryBudgets, AreSeparatePerPolicy) {
  RetryBudgets budgets(RetryPolicies{});
  EXPECT_EQ(&budgets.Of(OperationKind::kReadMetadata), &budgets.Of(OperationKind::kWriteMetadata));
  EXPECT_NE(&budgets.Of(OperationKind::kList), &budgets.Of(OperationKind::kDownload));
  EXPECT_NE(&budgets.Of(OperationKind::kUpload), &budgets.Of(OperationKind::kDownload));
}

}  // namespace
}  // namespace gcsflux::internal
