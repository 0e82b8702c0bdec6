// Each command of several requests, with an event before each answer: a rival that overwrites or deletes all objects
// of the command, a signal, or a lost answer. The command ends; its output is whole and of one generation; nothing of
// the rival is deleted. As tests/gaps, for the program.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <map>
#include <ostream>
#include <thread>

#include "cli/command_fixture.h"

namespace gcsflux::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;

const std::vector<std::string> kNames = {"a", "b", "d/c"};
constexpr auto kOwn = "what the command has";
constexpr auto kRivals = "what a rival wrote..";  // as long

enum class Target { kNone, kFiles, kObjects };

struct Row {
  std::string name;
  std::vector<std::string> arguments;
  Target source = Target::kObjects;    ///< The existing content, below "from".
  Target destination = Target::kNone;  ///< The command's output, below "to".
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

enum class Between { kNothing, kOverwrite, kDelete, kSignal };

class CommandGapsTest : public CommandTest, public ::testing::WithParamInterface<Row> {
 protected:
  void ForEachGap(Between event, bool loses_answer) {
    for (std::uint64_t nth = 1; Visit(nth, event, loses_answer); ++nth) {
      ASSERT_LT(nth, 200U) << "the command does not end";
    }
  }

 private:
  // Whether the command sent so many requests.
  bool Visit(std::uint64_t nth, Between event, bool loses_answer) {
    SCOPED_TRACE("before the answer of request " + std::to_string(nth));
    emulator_.Reset();
    EXPECT_TRUE(client_.InsertBucket("bkt"));
    for (const char* folder : {"from", "to"}) fs::remove_all(PathOf(folder));
    for (const std::string& name : kNames) {
      if (GetParam().source == Target::kFiles) WriteFile("from/" + name, kOwn);
      if (GetParam().source == Target::kObjects) Store("from/" + name, kOwn);
    }
    Store("foreign", "not the command's");
    emulator_.clock().Freeze();
    std::vector<emulator::FaultRule> rules;
    if (event != Between::kNothing)
      rules.push_back(RuleOf("gap", nth, {.type = "stall", .duration = std::chrono::hours(1)}));
    if (loses_answer) rules.push_back(RuleOf("lost", nth, {.type = "loseAnswer"}));
    emulator_.faults().Load({.rules = rules});
    std::vector<std::string> arguments = GetParam().arguments;
    // Requests are counted, and each gap is between two of them.
    arguments.insert(arguments.end(), {"--hedge_budget=0", "--max_concurrency=1"});
    testing::ChildProgram program = Start(arguments);
    if (event != Between::kNothing) {
      while (emulator_.faults().Fired("gap") == 0 && !program.has_ended()) std::this_thread::yield();
    }
    std::size_t answered = 0;
    const bool is_there = event == Between::kNothing ? false : emulator_.faults().Fired("gap") > 0;
    if (is_there) {
      emulator_.clock().AwaitWaiters(1);
      answered = CountListings(/*only_answered=*/true);
      Happen(event, program);
      emulator_.clock().Advance(std::chrono::hours(2));
    }
    const Outcome outcome = Finish(program);
    // A program that a signal ended may leave a request under way.
    while (std::ranges::any_of(emulator_.journal(), [](const auto& request) { return !request.is_finished; })) {
      std::this_thread::yield();
    }
    // A listing may send several requests at once; one that was answered later may have seen what the rival wrote.
    if (answered == 0 || CountListings(/*only_answered=*/false) > answered) rivals_.clear();
    const bool has_fired = event == Between::kNothing ? emulator_.faults().Fired("lost") > 0 : is_there;
    emulator_.faults().Clear();
    ExpectWhole(outcome, event, has_fired);
    return has_fired;
  }

  static emulator::FaultRule RuleOf(const char* name, std::uint64_t nth, emulator::FaultAction action) {
    return {.name = name, .match = {.nth = nth}, .action = std::move(action), .limits = {.count = 1}};
  }

  [[nodiscard]] std::size_t CountListings(bool only_answered) const {
    return static_cast<std::size_t>(std::ranges::count_if(emulator_.journal(), [&](const auto& request) {
      const bool is_listing = request.method == "GET" && request.target.starts_with("/storage/v1/b/bkt/o?");
      return is_listing && (request.is_finished || !only_answered);
    }));
  }

  void Happen(Between event, testing::ChildProgram& program) {
    if (event == Between::kSignal) return program.Signal(SIGINT);
    for (const char* folder : {"from/", "to/"}) {
      const Target target = folder == std::string("from/") ? GetParam().source : GetParam().destination;
      for (const std::string& name : kNames) {
        if (target == Target::kFiles || target == Target::kNone) continue;
        const ObjectName object{"bkt", folder + name};
        if (event == Between::kOverwrite) {
          rivals_[object.name] = client_.InsertObject(object, AsBytes(kRivals))->generation;
        } else {
          (void)client_.DeleteObject(object);
        }
      }
    }
  }

  void ExpectWhole(const Outcome& outcome, Between event, bool has_fired) {
    SCOPED_TRACE(outcome.err);
    const bool is_signal = event == Between::kSignal && has_fired;
    EXPECT_THAT(outcome.status, is_signal ? AnyOf(0, 130, -SIGINT) : AnyOf(0, 1, 1));
    EXPECT_TRUE(outcome.status == 0 || (event != Between::kNothing && has_fired));
    EXPECT_TRUE(outcome.status != 1 || !outcome.err.empty());
    EXPECT_EQ(Stored("foreign"), "not the command's");
    for (const std::string& name : Objects()) {
      if (name == "foreign") continue;
      EXPECT_TRUE(name.starts_with("from/") || name.starts_with("to/")) << name << " is temporary";
      EXPECT_THAT(Stored(name), AnyOf(kOwn, kRivals)) << name;
    }
    if (GetParam().destination == Target::kFiles && fs::exists(PathOf("to"))) {
      for (const std::string& file : Files("to")) {
        if (fs::path(file).filename().string().starts_with(".")) {
          EXPECT_NE(outcome.status, 0) << file;
          continue;
        }
        EXPECT_THAT(ReadFile("to/" + file), AnyOf(kOwn, kRivals)) << file;
      }
    }
    if (event != Between::kOverwrite) return;
    // The rival's writes remain, except under a name that the command writes.
    for (const auto& [name, generation] : rivals_) {
      if (name.starts_with("to/")) continue;
      const auto now = client_.GetObject({"bkt", name});
      if (!now && GetParam().arguments.front() == "mv") {  // It was moved too.
        EXPECT_EQ(Stored("to" + name.substr(name.find('/'))), kRivals);
        continue;
      }
      ASSERT_TRUE(now.ok()) << name << " was deleted: " << now.error().message;
      EXPECT_EQ(now->generation, generation) << name;
    }
    rivals_.clear();
  }

  std::map<std::string, std::int64_t> rivals_;
};

TEST_P(CommandGapsTest, SurvivesALostAnswer) { ForEachGap(Between::kNothing, true); }
TEST_P(CommandGapsTest, KeepsTheObjectOfARival) { ForEachGap(Between::kOverwrite, false); }
TEST_P(CommandGapsTest, SurvivesADeletionByARival) { ForEachGap(Between::kDelete, false); }
TEST_P(CommandGapsTest, StopsAtASignal) { ForEachGap(Between::kSignal, false); }

const Row kRows[] = {
    {"CopyUp", {"cp", "-r", "from", "gs://bkt/to"}, Target::kFiles, Target::kObjects},
    {"CopyDown", {"cp", "-r", "gs://bkt/from", "to"}, Target::kObjects, Target::kFiles},
    {"CopyOver", {"cp", "-r", "gs://bkt/from", "gs://bkt/to"}, Target::kObjects, Target::kObjects},
    {"Move", {"mv", "-r", "gs://bkt/from", "gs://bkt/to"}, Target::kObjects, Target::kObjects},
    {"SyncUp", {"sync", "from", "gs://bkt/to"}, Target::kFiles, Target::kObjects},
    {"SyncDown", {"sync", "gs://bkt/from", "to", "--delete"}, Target::kObjects, Target::kFiles},
    {"Remove", {"rm", "-r", "gs://bkt/from"}, Target::kObjects, Target::kNone},
};

INSTANTIATE_TEST_SUITE_P(Commands, CommandGapsTest, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace gcsflux::cli
