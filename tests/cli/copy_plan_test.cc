#include "cli/copy/copy_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

namespace gcsflux::cli {
namespace {

using Action = CopyStep::Action;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Time = std::chrono::system_clock::time_point;

TreeEntry Object(const std::string& name, std::uint64_t size = 1, std::uint32_t crc32c = 1, int second = 0) {
  return {
      .name = name, .size = size, .modified = Time(std::chrono::seconds(second)), .generation = 1, .crc32c = crc32c};
}
TreeEntry File(const std::string& name, std::uint64_t size = 1, int second = 0) {
  return {.name = name, .size = size, .modified = Time(std::chrono::seconds(second))};
}

std::vector<Action> ActionsOf(const std::vector<TreeEntry>& sources, const std::vector<TreeEntry>& present,
                              const CopyPlanOptions& options) {
  std::vector<Action> actions;
  for (const CopyStep& step : PlanCopy(sources, present, options)) actions.push_back(step.action);
  return actions;
}

TEST(CopyPlan, CopiesMissingObjects) {
  EXPECT_THAT(ActionsOf({File("a"), File("b")}, {}, {}), ElementsAre(Action::kCopy, Action::kCopy));
  EXPECT_THAT(ActionsOf({}, {File("a")}, {}), IsEmpty());
}

TEST(CopyPlan, ComparesObjectsByTheirChecksums) {
  EXPECT_THAT(ActionsOf({Object("a", 1, 7), Object("b", 1, 7), Object("c", 2, 7)},
                        {Object("a", 1, 7), Object("b", 1, 8), Object("c", 1, 7)}, {}),
              ElementsAre(Action::kSkip, Action::kCopy, Action::kCopy));
}

TEST(CopyPlan, ComputesAFilesChecksumOnlyIfTheSizeIsTheSame) {
  EXPECT_THAT(ActionsOf({File("a", 1), File("b", 2)}, {Object("a", 1), Object("b", 1)}, {}),
              ElementsAre(Action::kCopyIfDifferent, Action::kCopy));
  const auto steps = PlanCopy(std::vector{Object("b")}, std::vector{File("a"), File("b")}, {.is_to_local = true});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].action, Action::kCopyIfDifferent);
  EXPECT_EQ(steps[0].present, std::optional<std::size_t>(1));
}

TEST(CopyPlan, CopiesObjectsWithoutAChecksum) {
  TreeEntry object = Object("a");
  object.crc32c.reset();
  EXPECT_THAT(ActionsOf({File("a")}, {object}, {}), ElementsAre(Action::kCopy));
}

TEST(CopyPlan, ComparesTimesIfAsked) {
  EXPECT_THAT(
      ActionsOf({File("newer", 1, 5), File("older", 1, 4), File("same", 1, 3), File("size", 1, 3)},
                {Object("newer", 1, 0, 4), Object("older", 1, 0, 5), Object("same", 1, 0, 3), Object("size", 2, 0, 9)},
                {.compare = Compare::kModified}),
      ElementsAre(Action::kCopy, Action::kSkip, Action::kSkip, Action::kCopy));
}

TEST(CopyPlan, CopiesObjectsWithoutATime) {
  EXPECT_THAT(ActionsOf({Object("a")}, {File("a", 1, 5)}, {.compare = Compare::kModified}), ElementsAre(Action::kCopy));
}

TEST(CopyPlan, SkipsAllPresentNamesIfAsked) {
  EXPECT_THAT(ActionsOf({File("a", 1), File("b", 1)}, {Object("a", 2)}, {.skips_present = true}),
              ElementsAre(Action::kSkip, Action::kCopy));
}

TEST(CopyPlan, CopiesEverythingIfNothingMayBeSkipped) {
  EXPECT_THAT(ActionsOf({Object("a")}, {Object("a")}, {.skips_same = false}), ElementsAre(Action::kCopy));
}

TEST(CopyPlan, KeepsTheCopiesOfExcludedSources) {
  const std::vector<TreeEntry> present = {Object("dir/a"), Object("dir0"), Object("link"), Object("link.txt")};
  const auto steps = PlanCopy(std::vector<TreeEntry>{}, present, {.deletes_extra = true, .left_out = {"dir", "link"}});
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(present[steps[0].entry].name, "dir0");
  EXPECT_EQ(present[steps[1].entry].name, "link.txt");
}

TEST(CopyPlan, DeletesExtraObjectsOnlyIfAsked) {
  const std::vector<TreeEntry> sources = {File("b"), File("d")};
  const std::vector<TreeEntry> present = {Object("a"), Object("b", 5), Object("c"), Object("e")};
  EXPECT_THAT(ActionsOf(sources, present, {}), ElementsAre(Action::kCopy, Action::kCopy));
  const auto steps = PlanCopy(sources, present, {.deletes_extra = true});
  ASSERT_EQ(steps.size(), 5U);
  EXPECT_THAT((std::vector{steps[2], steps[3], steps[4]}),
              ElementsAre(CopyStep{Action::kDelete, 0}, CopyStep{Action::kDelete, 2}, CopyStep{Action::kDelete, 3}));
}

TEST(CopyPlan, RefusesNamesOutsideTheDestinationAndContinues) {
  const auto steps =
      PlanCopy(std::vector{Object("../x"), Object("/x"), Object("a//b"), Object("ok")}, {}, {.is_to_local = true});
  EXPECT_EQ(steps[0].action, Action::kRefuse);
  EXPECT_EQ(steps[0].reason, "its name cannot be a file's: it has the component '..'");
  EXPECT_EQ(steps[1].action, Action::kRefuse);
  EXPECT_EQ(steps[2].action, Action::kRefuse);
  EXPECT_EQ(steps[3].action, Action::kCopy);
}

TEST(CopyPlan, RefusesAFileInPlaceOfADirectory) {
  EXPECT_THAT(ActionsOf({Object("a"), Object("a-b"), Object("a/b"), Object("a/b/c")}, {}, {.is_to_local = true}),
              ElementsAre(Action::kRefuse, Action::kCopy, Action::kRefuse, Action::kCopy));
  EXPECT_THAT(ActionsOf({Object("a"), Object("a/b")}, {}, {}), ElementsAre(Action::kCopy, Action::kCopy));
}

TEST(CopyPlan, CreatesDirectoriesForTheirMarkers) {
  EXPECT_THAT(ActionsOf({Object("a/", 0), Object("a/b/", 1), Object("b//", 0)}, {}, {.is_to_local = true}),
              ElementsAre(Action::kMakeDirectory, Action::kRefuse, Action::kRefuse));
  EXPECT_THAT(ActionsOf({Object("a/", 0)}, {}, {}), ElementsAre(Action::kCopy));
}

TEST(CopyPlan, RefusesInvalidObjectNames) {
  EXPECT_THAT(ActionsOf({File("a\nb"), File("\xFF"), File(std::string(1'023, 'n'))}, {}, {.prefix = "p/"}),
              ElementsAre(Action::kRefuse, Action::kRefuse, Action::kRefuse));
}

// Compared with a map.
TEST(CopyPlan, IsRightForRandomTrees) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::map<std::string, TreeEntry> sources;
    std::map<std::string, TreeEntry> present;
    for (auto* tree : {&sources, &present}) {
      for (auto count = random() % 20; count > 0; --count) {
        const std::string name =
            std::string(1, static_cast<char>('a' + random() % 4)) + "-" + std::to_string(random() % 6);
        (*tree)[name] = Object(name, 1, random() % 2);
      }
    }
    const auto list = [](const std::map<std::string, TreeEntry>& tree) {
      std::vector<TreeEntry> entries;
      entries.reserve(tree.size());
      for (const auto& [name, entry] : tree) entries.push_back(entry);
      return entries;
    };
    const auto from = list(sources);
    const auto to = list(present);
    for (const CopyStep& step : PlanCopy(from, to, {.deletes_extra = true})) {
      const std::string name = step.action == Action::kDelete ? to[step.entry].name : from[step.entry].name;
      if (step.action == Action::kDelete) {
        EXPECT_FALSE(sources.contains(name));
        present.erase(name);
      } else if (step.action == Action::kCopy) {
        present[name] = sources[name];
      } else {
        EXPECT_EQ(step.action, Action::kSkip);
      }
    }
    ASSERT_EQ(present.size(), sources.size()) << "round " << round;
    for (const auto& [name, entry] : sources) EXPECT_EQ(present[name].crc32c, entry.crc32c) << "round " << round;
  }
}

}  // namespace
}  // namespace gcsflux::cli
