#include "cli/command_line.h"

#include <gflags/gflags.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "gcsflux/flags.h"

namespace gcsflux::cli {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(ExpandLetters, GivesEachLetterItsFlag) {
  struct Case {
    Words words;
    Words want;
  };
  for (const Case& c : {
           Case{{"ls", "-l"}, {"ls", "--long"}},
           Case{{"ls", "-lh", "gs://b"}, {"ls", "--long", "--human", "gs://b"}},
           Case{{"ls", "-la"}, {"ls", "--long", "--all_versions"}},
           Case{{"-m", "cp", "-rn", "a", "gs://b"}, {"cp", "--recursive", "--no_clobber", "a", "gs://b"}},
           Case{{"-q", "cp", "-R", "a", "b"}, {"--quiet", "cp", "--recursive", "a", "b"}},
           Case{{"rm", "-rf", "gs://b/x"}, {"rm", "--recursive", "--force", "gs://b/x"}},
           Case{{"sync", "-rdn", "a", "b"}, {"sync", "--delete", "--dry_run", "a", "b"}},
           Case{{"du", "-sh", "gs://b"}, {"du", "--summarize", "--human", "gs://b"}},
           Case{{"mb", "-l", "EU", "gs://b"}, {"mb", "--location", "EU", "gs://b"}},
           Case{{"checkpoint", "prune", "-n", "RUN"}, {"checkpoint", "prune", "--dry_run", "RUN"}},
           Case{{"ls", "-h", "gs://b"}, {"ls", "--human", "gs://b"}},
           // Help, where it is alone and where there is no other meaning.
           Case{{"ls", "-h"}, {"ls", "-h"}},
           Case{{"-h"}, {"-h"}},
           Case{{"cp", "-h", "a", "b"}, {"cp", "-h", "a", "b"}},
           // Names with one dash, unknown letters, and what is behind "--".
           Case{{"ls", "-long", "-recursive"}, {"ls", "-long", "-recursive"}},
           Case{{"ls", "-lx"}, {"ls", "-lx"}},
           Case{{"cp", "-", "gs://b/x"}, {"cp", "-", "gs://b/x"}},
           Case{{"rm", "--", "-r"}, {"rm", "--", "-r"}},
           // Names of other programs.
           Case{{"sync", "--dryrun", "a", "b"}, {"sync", "--dry_run", "a", "b"}},
           Case{{"ls", "--readable-sizes"}, {"ls", "--human"}},
       }) {
    EXPECT_EQ(ExpandLetters(c.words), c.want) << ::testing::PrintToString(c.words);
  }
}

TEST(FindCommand, KnowsOneAndTwoWords) {
  EXPECT_EQ(*FindCommand({"cp", "a", "b"}), &kCp);
  EXPECT_EQ(*FindCommand({"checkpoint", "ls", "RUN"}), &kListSteps);
}

TEST(FindCommand, NamesTheNearestOne) {
  for (const auto& [typed, meant] : {std::pair("rsync", "sync"),
                                     {"delete", "rm"},
                                     {"del", "rm"},
                                     {"list", "ls"},
                                     {"copy", "cp"},
                                     {"info", "stat"},
                                     {"head", "stat"},
                                     {"move", "mv"},
                                     {"cpp", "cp"},
                                     {"snyc", "sync"},
                                     {"staat", "stat"},
                                     {"claen", "clean"}}) {
    const auto command = FindCommand({typed});
    ASSERT_FALSE(command.ok()) << typed;
    EXPECT_EQ(command.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(command.error().message, HasSubstr("no command '" + std::string(typed) + "'; did you mean '" + meant));
  }
  EXPECT_THAT(FindCommand({"checkpoint", "inspekt"}).error().message, HasSubstr("did you mean 'checkpoint inspect'?"));
  EXPECT_THAT(FindCommand({"checkpoint"}).error().message, HasSubstr("gcsflux help checkpoint lists them"));
  EXPECT_EQ(FindCommand({"frobnicate"}).error().message, "there is no command 'frobnicate'; gcsflux help lists them");
}

TEST(CheckFlags, RefusesThoseOfOtherCommands) {
  const gflags::FlagSaver saver;
  for (const Command* command : Commands()) EXPECT_TRUE(CheckFlags(*command).ok()) << command->name;
  gflags::SetCommandLineOption("dry_run", "true");
  EXPECT_TRUE(CheckFlags(kSync).ok());
  const auto refused = CheckFlags(kDu);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("--dry_run is not for the command 'du'"));
}

TEST(CheckFlags, SaysWhatDescribesObjectsWhoseBytesArePrinted) {
  const gflags::FlagSaver saver;
  gflags::SetCommandLineOption("json", "true");
  for (const Command* command : Commands()) EXPECT_EQ(CheckFlags(*command).ok(), command != &kCat) << command->name;
  EXPECT_EQ(CheckFlags(kCat).error().message,
            "flag --json: 'cat' prints the bytes of objects as they are; gcsflux stat --json describes them");
}

TEST(CommandTable, HasADryRunWhereSomethingIsDeletedOrOverwritten) {
  for (const Command* command : {&kRm, &kRb, &kCp, &kMv, &kSync, &kCompose, &kSetmeta, &kClean, &kRun, &kRemoveStep,
                                 &kPrune, &kConvert, &kIndexShards, &kPackShards, &kUnpackShards}) {
    const auto is_dry_run = [](const CommandFlag& flag) { return flag.name == "dry_run"; };
    EXPECT_TRUE(std::ranges::any_of(command->flags, is_dry_run)) << command->name;
  }
}

TEST(CommandTable, HasEveryFlagWithADescriptionAndALetterOnce) {
  ASSERT_TRUE(ClientOptionsFromFlags().ok());  // So that the library's flags are linked.
  for (const Command* command : Commands()) {
    std::string letters;
    for (const CommandFlag& flag : command->flags) {
      letters += flag.letters;
      gflags::CommandLineFlagInfo info;
      if (flag.name.empty()) {
        EXPECT_FALSE(flag.letters.empty() || flag.help.empty()) << command->name;
      } else {
        EXPECT_TRUE(gflags::GetCommandLineFlagInfo(std::string(flag.name).c_str(), &info)) << flag.name;
        EXPECT_FALSE(flag.help.empty() && info.description.empty()) << flag.name;
      }
    }
    for (const CommandFlag& flag : CommonFlags()) letters += flag.letters;
    std::sort(letters.begin(), letters.end());
    EXPECT_EQ(std::adjacent_find(letters.begin(), letters.end()), letters.end()) << command->name << ": " << letters;
  }
}

TEST(Help, OfACommandFitsOnAScreen) {
  for (const Command* command : Commands()) {
    const std::string name(command->name);
    const auto space = name.find(' ');
    Words words = {name.substr(0, space)};
    if (space != name.npos) words.push_back(name.substr(space + 1));
    const auto help = Help(words, false);
    ASSERT_TRUE(help.ok()) << name;
    EXPECT_THAT(*help, ::testing::StartsWith(Usage(*command)));
    EXPECT_LE(std::count(help->begin(), help->end(), '\n'), 40) << *help;
    for (const CommandFlag& flag : command->flags) EXPECT_THAT(*help, HasSubstr("--" + std::string(flag.name)));
    EXPECT_EQ(help->find("retry"), help->npos) << *help;
  }
}

TEST(Help, HasAllFlagsOnlyOnRequest) {
  EXPECT_THAT(*Help({"cp"}, true), HasSubstr("--download_retry_deadline_s ("));
  EXPECT_THAT(*Help({}, false), HasSubstr("\n  checkpoint convert"));
  EXPECT_THAT(*Help({"checkpoint"}, false),
              ::testing::AllOf(HasSubstr("checkpoint diff"), HasSubstr("--tensors_only")));
  EXPECT_FALSE(Help({"frobnicate"}, false).ok());
}

}  // namespace
}  // namespace gcsflux::cli
