// Names and attributes with control characters, which would steer a terminal.

#include <gmock/gmock.h>

#include "cli/command_fixture.h"

namespace gcsflux::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TerminalNamesTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    const auto stored =
        client_.InsertObject({"bkt", kName}, AsBytes("x"), {.attributes = {.metadata = {{"key", "\x1B]0;title\x07"}}}});
    ASSERT_TRUE(stored.ok()) << stored.error().message;
  }

  // The output of a program: '?' for each control character, and no others except line ends.
  static void ExpectHarmless(const std::string& out) {
    EXPECT_THAT(out, Not(HasSubstr("\x1B")));
    EXPECT_THAT(out, Not(HasSubstr("\x07")));
    EXPECT_THAT(out, Not(HasSubstr("\xC2\x9B")));
  }

  static constexpr auto kName =
      "a\x1B[31m\x07\xC2\x9B"
      "b";
  static constexpr auto kShown = "a?[31m???b";
};

TEST_F(TerminalNamesTest, HaveNoControlCharacters) {
  const std::vector<std::vector<std::string>> listings = {{"ls", "gs://bkt"},
                                                          {"ls", "--recursive", "gs://bkt"},
                                                          {"ls", "--long", "gs://bkt"},
                                                          {"ls", "--json", "gs://bkt"}};
  for (const auto& arguments : listings) {
    const Outcome shown = RunOnTerminal(arguments);
    EXPECT_EQ(shown.status, 0) << shown.out;
    ExpectHarmless(shown.out);
    if (arguments[1] != "--json") {
      EXPECT_THAT(shown.out, HasSubstr(kShown)) << arguments[1];
    }
  }
  const Outcome stat = RunOnTerminal({"stat", std::string("gs://bkt/") + kName});
  EXPECT_EQ(stat.status, 0) << stat.out;
  ExpectHarmless(stat.out);
  EXPECT_THAT(stat.out, HasSubstr(std::string("gs://bkt/") + kShown));
  EXPECT_THAT(stat.out, HasSubstr("metadata.key: ?]0;title?"));
}

TEST_F(TerminalNamesTest, AreUnchangedInAPipe) {
  const Outcome listed = Run({"ls", "gs://bkt"});
  EXPECT_EQ(listed.out, std::string("gs://bkt/") + kName + "\n");
  const Outcome stat = Run({"stat", std::string("gs://bkt/") + kName});
  EXPECT_THAT(stat.out, HasSubstr("metadata.key: \x1B]0;title\x07\n"));
}

TEST_F(TerminalNamesTest, HaveNoControlCharactersInMessages) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"cat", std::string("gs://bkt/none") + kName},
                                                                     {"cat", std::string("gs://bad\x1B[31m\x07")},
                                                                     {"ls", std::string("--non\x1B[31m")},
                                                                     {std::string("l\x1B[31ms")},
                                                                     {"cp", std::string("none\x1B[31m"), "gs://bkt/x"},
                                                                     {"cp", "-r", "gs://bkt", "here", "--dry_run"}}) {
    const Outcome said = Run(arguments);
    EXPECT_FALSE(said.err.empty());
    ExpectHarmless(said.err);
    auto without_progress = arguments;  // Which steers the terminal itself.
    without_progress.emplace_back("--noprogress");
    ExpectHarmless(RunOnTerminal(without_progress).out);
  }
}

}  // namespace
}  // namespace gcsflux::cli
