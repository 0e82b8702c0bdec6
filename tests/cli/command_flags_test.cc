#include "cli/command_flags.h"

#include <gtest/gtest.h>

namespace gcsflux::cli {
namespace {

TEST(CommandFlags, BelongToTheCommandsOfTheirDescriptions) {
  EXPECT_TRUE(IsForCommand("cp, sync: skips", "cp"));
  EXPECT_TRUE(IsForCommand("cp, sync: skips", "sync"));
  EXPECT_TRUE(IsForCommand("cp --recursive, sync: skips", "cp"));
  EXPECT_FALSE(IsForCommand("cp, sync: rm, ls", "rm"));
  EXPECT_FALSE(IsForCommand("cp, sync: skips", "c"));
  EXPECT_FALSE(IsForCommand("", "cp"));
}

}  // namespace
}  // namespace gcsflux::cli
