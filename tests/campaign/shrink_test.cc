// The shrinker on failures whose smallest form is known, and the text of a case.
#include "campaign/shrink.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "campaign/case.h"
#include "campaign/shrink_case.h"

namespace gcsflux::campaign {
namespace {

using Numbers = std::vector<int>;

Numbers UpTo(int count) {
  Numbers numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

bool Has(const Numbers& numbers, int wanted) {
  return std::find(numbers.begin(), numbers.end(), wanted) != numbers.end();
}

TEST(Shrink, FindsTheFewestItemsThatStillFail) {
  struct MadeUpFailure {
    const char* name;
    int items;
    std::function<bool(const Numbers&)> fails;
    Numbers want;
  };
  const std::vector<MadeUpFailure> failures = {
      {"nothing is needed", 100, [](const Numbers&) { return true; }, {}},
      {"one item", 1000, [](const Numbers& n) { return Has(n, 437); }, {437}},
      {"the first and the last", 999, [](const Numbers& n) { return Has(n, 0) && Has(n, 998); }, {0, 998}},
      {"three that are apart",
       512,
       [](const Numbers& n) { return Has(n, 3) && Has(n, 300) && Has(n, 511); },
       {3, 300, 511}},
      {"an order", 64, [](const Numbers& n) { return Has(n, 7) && Has(n, 9) && !(Has(n, 8) && !Has(n, 20)); }, {7, 9}},
      {"one item alone", 1, [](const Numbers& n) { return !n.empty(); }, {0}},
      {"any five", 300, [](const Numbers& n) { return n.size() >= 5; }, {3, 4, 5, 6, 7}},
  };
  for (const MadeUpFailure& failure : failures) {
    EXPECT_EQ(Shrink<int>(UpTo(failure.items), failure.fails), failure.want) << failure.name;
  }
}

TEST(Shrink, TriesFewTimes) {
  int tries = 0;
  const auto shrunk = Shrink<int>(UpTo(4096), [&](const Numbers& n) { return ++tries, Has(n, 1000); });
  EXPECT_EQ(shrunk, Numbers{1000});
  EXPECT_LT(tries, 50);
}

TEST(Shrink, ReturnsTheBestSoFarIfItIsStopped) {
  int tries = 0;
  const auto shrunk = Shrink<int>(
      UpTo(1024), [&](const Numbers& n) { return ++tries, Has(n, 5); }, [&] { return tries >= 3; });
  EXPECT_TRUE(Has(shrunk, 5));
  EXPECT_LT(shrunk.size(), 1024U);
}

Case SomeCase() {
  return {.seed = 17,
          .threads = 3,
          .has_quotas = true,
          .plan = "a plan.json",
          .rules = {"status 1", "cut 12"},
          .steps = {{0, "read whole", 5}, {2, "compose", 6}, {1, "read whole", 7}}};
}

TEST(ShrinkCase, LeavesOutStepsAndRules) {
  const auto fails = [](const Case& c) {
    const bool has_rule = std::ranges::find(c.rules, "cut 12") != c.rules.end();
    return has_rule && std::ranges::find(c.steps, std::string("compose"), &Step::operation) != c.steps.end();
  };
  Case want = SomeCase();
  want.rules = {"cut 12"};
  want.steps = {{2, "compose", 6}};
  EXPECT_EQ(ShrinkCase(SomeCase(), fails, [] { return false; }), want);
}

TEST(Case, IsTheSameAfterItWasWrittenAndRead) { EXPECT_EQ(ParseCase(FormatCase(SomeCase())), SomeCase()); }

TEST(Case, RefusesDamagedText) {
  for (const char* text : {"", "seed x\nthreads 2\n", "threads 0\n", "threads 2\nstep 2 5 read whole\n",
                           "threads 2\nstep 1 5\n", "threads 2\nstep one 5 read\n", "threads 2\nunknown 5\n"}) {
    EXPECT_THROW(ParseCase(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace gcsflux::campaign
