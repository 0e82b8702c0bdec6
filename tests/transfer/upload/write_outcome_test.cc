// The next step of a write after a read-back of the object that it may have stored.
#include "transfer/upload/write_outcome.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace gcsflux::internal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = WriteStep::Kind;

constexpr WriteGuard kNone{};
constexpr WriteGuard Given(std::int64_t generation) { return {generation, false}; }
constexpr WriteGuard Own(std::int64_t generation) { return {generation, true}; }

TEST(AfterReadBack, RetriesOnlyIfNoRivalsWriteIsUndone) {
  constexpr LiveObject kNothing{};
  constexpr LiveObject kOurs{.generation = 9, .is_ours = true};
  constexpr LiveObject kOlder{.generation = 7, .is_older = true};
  constexpr LiveObject kYounger{.generation = 8};
  struct Case {
    std::string name;
    LiveObject live;
    WriteGuard guard;
    WriteStep want;
  };
  const Case cases[] = {
      {"ours", kOurs, kNone, {Kind::kStored, kNone}},
      {"ours, by a caller's condition", kOurs, Given(7), {Kind::kStored, Given(7)}},
      {"ours, late", kOurs, Own(7), {Kind::kStored, Own(7)}},
      {"nothing", kNothing, kNone, {Kind::kRepeat, Own(0)}},
      {"what was there before", kOlder, kNone, {Kind::kRepeat, Own(7)}},
      {"what may be a rival's over ours", kYounger, kNone, {Kind::kUnknown, Own(8)}},
      {"nothing, to be created", kNothing, Given(0), {Kind::kRepeat, Given(0)}},
      {"a rival's, to be created", kYounger, Given(0), {Kind::kRepeat, Given(0)}},
      {"a rival's, to be replaced", kYounger, Given(7), {Kind::kRepeat, Given(7)}},
      {"still nothing", kNothing, Own(0), {Kind::kRepeat, Own(0)}},
      {"still what was there before", kOlder, Own(7), {Kind::kRepeat, Own(7)}},
      {"another one since the last look", kYounger, Own(7), {Kind::kUnknown, Own(7)}},
      {"another one where there was none", kYounger, Own(0), {Kind::kUnknown, Own(0)}},
      {"another one since, whatever its age", kOlder, Own(0), {Kind::kUnknown, Own(0)}},
      {"none any more", kNothing, Own(7), {Kind::kUnknown, Own(7)}},
  };
  for (const Case& c : cases) {
    const WriteStep step = AfterReadBack(c.live, c.guard);
    EXPECT_TRUE(step == c.want) << c.name << ": " << static_cast<int>(step.kind) << " under "
                                << step.guard.generation.value_or(-1) << (step.guard.is_own ? " (own)" : "");
  }
}

TEST(IsCertainlyOlder, ComparesWithTheFirstAttemptByTheServicesClock) {
  const std::chrono::system_clock::time_point answered = std::chrono::sys_days(std::chrono::November / 20 / 2026);
  struct Case {
    std::string name;
    std::chrono::nanoseconds age;  // of the object at the time of the answer
    std::chrono::nanoseconds elapsed;
    bool want;
  };
  const Case cases[] = {
      {"an hour before", std::chrono::hours(1), seconds(5), true},
      {"since", seconds(3), seconds(5), false},
      {"as the attempt began", seconds(5), seconds(5), false},
      {"within the margin", seconds(5) + kClockMargin, seconds(5), false},
      {"beyond the margin", seconds(5) + kClockMargin + milliseconds(1), seconds(5), true},
      {"after the answer", seconds(-1), seconds(0), false},
  };
  for (const Case& c : cases) {
    const auto created = answered - std::chrono::duration_cast<std::chrono::system_clock::duration>(c.age);
    EXPECT_EQ(IsCertainlyOlder(created, answered, c.elapsed), c.want) << c.name;
    EXPECT_FALSE(IsCertainlyOlder(created, std::nullopt, c.elapsed)) << c.name << ", no Date";
  }
  EXPECT_FALSE(IsCertainlyOlder({}, answered, seconds(0))) << "an object without a time";
}

}  // namespace
}  // namespace gcsflux::internal
