#include "cli/completion.h"

#include <gmock/gmock.h>

#include "cli/commands.h"
#include "support/child_program.h"

namespace gcsflux::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What bash offers for the last of the words.
std::string Offered(const std::string& words) {
  const std::string script = *CompletionScript("bash") + "COMP_WORDS=(" + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gcsflux; echo \"${COMPREPLY[*]}\"";
  testing::ChildProgram bash("/bin/bash", {"-c", script}, {});
  std::string offered = bash.ReadOutput();
  EXPECT_EQ(bash.Wait(), 0);
  return offered;
}

TEST(Completion, OffersCommandsAndFlagsInBash) {
  EXPECT_EQ(Offered("gcsflux sy"), "sync\n");
  EXPECT_EQ(Offered("gcsflux cp -r --dry"), "--dry_run\n");
  EXPECT_EQ(Offered("gcsflux checkpoint ver"), "verify\n");
  EXPECT_EQ(Offered("gcsflux help m"), "mb mv\n");
  EXPECT_EQ(Offered("gcsflux checkpoint prune --keep_l"), "--keep_last\n");
  EXPECT_EQ(Offered("gcsflux rm --keep_l"), "\n") << "it is a flag of another command";
  EXPECT_EQ(Offered("gcsflux cp fil"), "\n") << "bash completes files itself";
}

TEST(Completion, KnowsEachFlagInEachShell) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string script = *CompletionScript(shell);
    for (const Command* command : Commands()) {
      for (const CommandFlag& flag : command->flags) EXPECT_THAT(script, HasSubstr(std::string(flag.name))) << shell;
    }
  }
  EXPECT_EQ(CompletionScript("tcsh").error().code, ErrorCode::kInvalidArgument);
}

TEST(ManPage, HasEachCommandWithItsFlags) {
  const std::string page = ManPage();
  for (const Command* command : Commands()) {
    EXPECT_THAT(page, HasSubstr(".SS gcsflux " + std::string(command->name))) << page;
  }
  EXPECT_THAT(page, HasSubstr(".B \\-r, \\-R, \\-\\-recursive\n"));
  EXPECT_THAT(page, Not(HasSubstr("\n'")));
}

}  // namespace
}  // namespace gcsflux::cli
