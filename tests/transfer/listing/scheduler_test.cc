#include "transfer/listing/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transfer/listing/memory_bucket.h"
#include "transfer/listing/name_sets.h"

namespace gcsflux::internal::listing {
namespace {

// Lists a set of names with all that a service may do: answers arrive in any order, pages are short or empty, and names
// change meanwhile. After each step every stable name has been listed once or is still to be listed.
class Adversary {
 public:
  // Of the names, about one in `stays` is unstable; 0: all are stable.
  Adversary(std::vector<std::string> names, unsigned one_in, unsigned seed) : random_(seed), now_(std::move(names)) {
    for (const std::string& name : now_) {
      (one_in != 0 && random_() % one_in == 0 ? comes_and_goes_ : stays_).push_back(name);
    }
  }
  void SetShortPages() { has_short_pages_ = true; }
  // A request without a token is answered by an empty page and a token, as services do after a long search without a
  // match.
  void SetEmptyFirstPages() { has_empty_first_pages_ = true; }

  void List(const SchedulerOptions& options) {
    options_ = options;
    std::erase_if(stays_, [&](const std::string& name) { return !IsAsked(name); });
    Scheduler scheduler(options);
    int steps = 0;
    for (double seconds = 0; !scheduler.is_done(); seconds += 0.02) {
      ASSERT_LT(++steps, 100'000) << "it goes round in circles";
      for (PageCall& call : scheduler.Begin(seconds)) in_flight_.push_back(std::move(call));
      ASSERT_FALSE(in_flight_.empty()) << "nothing under way, and not done";
      ASSERT_LE(in_flight_.size(), std::max<std::size_t>(options.max_concurrency, 1) + 1);
      Answer(scheduler);
      Check(scheduler);
      if (::testing::Test::HasFatalFailure()) return;
    }
    for (const std::string& name : stays_) ASSERT_EQ(taken_.count(name), 1U) << name;
  }
  [[nodiscard]] const std::set<std::string, std::less<>>& taken() const { return taken_; }

 private:
  bool IsAsked(const std::string& name) const {
    return name.starts_with(options_.prefix) && name >= options_.start_offset &&
           (options_.end_offset.empty() || name < options_.end_offset);
  }

  void Answer(Scheduler& scheduler) {
    if (!comes_and_goes_.empty()) Change();
    const std::size_t which = random_() % in_flight_.size();
    const PageCall call = in_flight_[which];
    in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(which));
    ASSERT_LE(call.start_offset.size(), 1024U);
    std::size_t items = has_short_pages_ ? random_() % (call.max_results + 1) : call.max_results;
    if (has_empty_first_pages_ && call.page_token.empty()) items = 0;
    const MemoryPage page = MemoryBucket(now_).List(call, items);
    // An honest service is never mistaken for one that goes backwards.
    if (!page.names.empty()) {
      ASSERT_GE(page.names.front(), call.least_name);
    }
    for (const Taken& run : scheduler.OnPage(call.id, page.View())) {
      for (std::size_t i = run.begin; i < run.end; ++i) {
        ASSERT_TRUE(taken_.insert(std::string(page.names[i])).second) << "twice: " << page.names[i];
        ASSERT_TRUE(IsAsked(std::string(page.names[i]))) << page.names[i];
      }
    }
  }

  void Change() {
    const std::string& name = comes_and_goes_[random_() % comes_and_goes_.size()];
    const auto place = std::lower_bound(now_.begin(), now_.end(), name);
    if (place != now_.end() && *place == name) {
      now_.erase(place);
    } else {
      now_.insert(place, name);
    }
  }

  // The ranges are disjoint and in order, and each stable name is in exactly one place.
  void Check(const Scheduler& scheduler) {
    auto name = stays_.begin();
    const std::string* end = nullptr;
    for (const Range& range : scheduler.tiling().open()) {
      ASSERT_TRUE(IsBefore(range.lo, range.hi)) << range.lo << " to " << range.hi;
      ASSERT_TRUE(end == nullptr || (!end->empty() && *end <= range.lo)) << range.lo;
      end = &range.hi;
      for (; name != stays_.end() && *name < range.lo; ++name) ASSERT_EQ(taken_.count(*name), 1U) << "lost: " << *name;
      for (; name != stays_.end() && IsBefore(*name, range.hi); ++name) ASSERT_EQ(taken_.count(*name), 0U) << *name;
    }
    for (; name != stays_.end(); ++name) ASSERT_EQ(taken_.count(*name), 1U) << "lost: " << *name;
  }

  std::mt19937 random_;
  std::vector<std::string> now_;
  std::vector<std::string> stays_;
  std::vector<std::string> comes_and_goes_;
  bool has_short_pages_ = false;
  bool has_empty_first_pages_ = false;
  SchedulerOptions options_;
  std::vector<PageCall> in_flight_;
  std::set<std::string, std::less<>> taken_;
};

std::vector<NameSet> AllNameSets() {
  std::vector<NameSet> sets = CommonNameSets();
  sets.insert(sets.end(), NastyNameSets().begin(), NastyNameSets().end());
  return sets;
}

class SchedulerOfNames : public ::testing::TestWithParam<NameSet> {
 protected:
  static constexpr unsigned kSeeds = 4;
  static std::vector<std::string> Names(unsigned seed, std::size_t count = 1500) {
    return GetParam().make(count, seed);
  }
};

TEST_P(SchedulerOfNames, ListsEachNameOnce) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const auto names = Names(seed);
    Adversary adversary(names, 0, seed);
    ASSERT_NO_FATAL_FAILURE(
        adversary.List({.max_concurrency = std::size_t{seed} * 4, .call_cap = 100, .page_size = 20}));
    EXPECT_EQ(adversary.taken().size(), names.size());
  }
}

TEST_P(SchedulerOfNames, ListsStableNamesOnceWhileOthersChange) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Adversary adversary(Names(seed), 2, seed);
    ASSERT_NO_FATAL_FAILURE(adversary.List({.max_concurrency = 12, .call_cap = 100, .page_size = 20}));
  }
}

TEST_P(SchedulerOfNames, ContinuesAfterShortAndEmptyPages) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Adversary adversary(Names(seed, 600), 3, seed);
    adversary.SetShortPages();
    ASSERT_NO_FATAL_FAILURE(adversary.List({.max_concurrency = 8, .call_cap = 100, .page_size = 10}));
  }
}

TEST_P(SchedulerOfNames, ContinuesByTokenIfNamesDoNotAdvance) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Adversary adversary(Names(seed, 600), 0, seed);
    adversary.SetEmptyFirstPages();
    ASSERT_NO_FATAL_FAILURE(adversary.List({.max_concurrency = 8, .call_cap = 100, .page_size = 10}));
  }
}

TEST_P(SchedulerOfNames, ContinuesAfterPagesOfOneName) {
  Adversary adversary(Names(1, 100), 0, 1);
  ASSERT_NO_FATAL_FAILURE(adversary.List({.max_concurrency = 4, .call_cap = 100, .page_size = 1}));
}

TEST_P(SchedulerOfNames, StaysWithinPrefixAndOffsets) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const auto names = Names(seed);
    std::mt19937 random(seed);
    const std::string& some = names[random() % names.size()];
    const std::string& start = names[random() % names.size()];
    const std::string end = seed % 2 == 0 ? std::string() : std::max(start, names[random() % names.size()]);
    std::string prefix = some.substr(0, random() % (some.size() + 1));
    while (!prefix.empty() && (static_cast<unsigned char>(some[prefix.size()]) & 0xC0U) == 0x80) prefix.pop_back();
    Adversary by_prefix(names, 0, seed);
    ASSERT_NO_FATAL_FAILURE(by_prefix.List({.prefix = prefix, .max_concurrency = 8, .call_cap = 100, .page_size = 20}));
    Adversary by_offsets(names, 0, seed);
    ASSERT_NO_FATAL_FAILURE(by_offsets.List(
        {.start_offset = start, .end_offset = end, .max_concurrency = 8, .call_cap = 100, .page_size = 20}));
  }
}

TEST_P(SchedulerOfNames, ListsEachNameOnceWithSplitPoints) {
  const auto names = Names(1);
  Adversary adversary(names, 2, 1);
  ASSERT_NO_FATAL_FAILURE(
      adversary.List({.max_concurrency = 8,
                      .call_cap = 100,
                      .page_size = 20,
                      .split_points = {names[names.size() / 2], "", names.back(), "a", "zz", "a"}}));
}

INSTANTIATE_TEST_SUITE_P(Shapes, SchedulerOfNames, ::testing::ValuesIn(AllNameSets()),
                         [](const auto& tested) { return std::string(tested.param.label); });

TEST(Scheduler, IsDoneAfterTheFirstPageOfASmallBucket) {
  for (const std::size_t count : {0U, 1U, 99U, 100U, 101U, 4999U, 5000U}) {
    const auto names = PaddedSequence(count, 1);
    Scheduler scheduler({});
    const std::vector<PageCall> calls = scheduler.Begin(0);
    ASSERT_EQ(calls.size(), 3U);
    const MemoryPage page = MemoryBucket(names).List(calls[0], calls[0].max_results);
    const auto runs = scheduler.OnPage(calls[0].id, page.View());
    EXPECT_EQ(runs.size(), count == 0 ? 0U : 1U) << count;
    EXPECT_TRUE(scheduler.is_done()) << count;
  }
}

TEST(Scheduler, DoesNotSplitBeforeAFullPage) {
  const auto names = HugeDirectory(5000, 1);
  Scheduler scheduler({});
  const std::vector<PageCall> calls = scheduler.Begin(0);
  for (const std::size_t small : {1U, 2U}) {
    const MemoryPage page = MemoryBucket(names).List(calls[small], calls[small].max_results);
    ASSERT_FALSE(page.names.empty() && page.prefixes.empty());
    scheduler.OnPage(calls[small].id, page.View());
    ASSERT_FALSE(scheduler.is_done());
    EXPECT_TRUE(scheduler.Begin(0.07).empty());
  }
}

TEST(Scheduler, ListsSequentiallyByTokensWithOneWorker) {
  const auto names = HexNames(50, 1);
  Scheduler scheduler({.max_concurrency = 1, .page_size = 20});
  std::size_t taken = 0;
  std::vector<std::string> tokens;
  for (std::vector<PageCall> calls; !scheduler.is_done();) {
    calls = scheduler.Begin(0);
    ASSERT_EQ(calls.size(), 1U);
    tokens.push_back(calls[0].page_token);
    const MemoryPage page = MemoryBucket(names).List(calls[0], calls[0].max_results);
    for (const Taken& run : scheduler.OnPage(calls[0].id, page.View())) taken += run.end - run.begin;
  }
  EXPECT_EQ(taken, 50U);
  EXPECT_EQ(tokens, (std::vector<std::string>{"", "@" + names[19], "@" + names[39]}));
}

TEST(Scheduler, IgnoresForeignCalls) {
  Scheduler scheduler({});
  EXPECT_TRUE(scheduler.OnPage(17, {}).empty());
  EXPECT_FALSE(scheduler.is_done());
}

TEST(Scheduler, IsDoneForAnEmptyRange) {
  Scheduler scheduler({.start_offset = "b", .end_offset = "b"});
  EXPECT_TRUE(scheduler.is_done());
  EXPECT_TRUE(scheduler.Begin(0).empty());
}

}  // namespace

}  // namespace gcsflux::internal::listing
