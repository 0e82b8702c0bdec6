// Memory runs out at one allocation after the other: requests fail, and nothing else does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/child_program.h"
#include "support/emulator_process.h"

namespace gcsflux {
namespace {

TEST(ScarceMemory, FailsTheCallWhereverItRunsOut) {
  const testing::EmulatorProcess emulator;
  testing::ChildProgram tool(SCARCE_MEMORY_TOOL, {emulator.endpoint()});
  const std::string told = tool.ReadOutput();
  EXPECT_EQ(tool.Wait(), 0) << tool.ReadErrors();
  EXPECT_THAT(told, ::testing::MatchesRegex("[0-9][0-9]+ allocations failed, 0 thrown\n"));
}

}  // namespace
}  // namespace gcsflux
