#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "gcsflux/result.h"

// What the user wrote, by the table of commands.
namespace gcsflux::cli {

/// The words of a line with names of flags in place of letters: `ls -lh` becomes `ls --long --human`. The letters are
/// those of the first command on the line. Words that are not letters stay as they are, and so does a -h that means
/// --help: for a command without this letter, and for one that is alone with it.
std::vector<std::string> ExpandLetters(const std::vector<std::string>& words);

/// The command that the arguments begin with. kInvalidArgument if there is none; the message names the nearest one.
Result<const Command*> FindCommand(const std::vector<std::string>& arguments);

/// One command and its arguments.
struct CommandCall {
  const Command* command = nullptr;
  std::vector<std::string> arguments = {};
};

/// kInvalidArgument if a flag was given that is another command's. Otherwise it would be ignored without a message,
/// even --dry_run. Flags `of_caller`, by their names, are accepted too.
Result<void> CheckFlags(const Command& command, const std::set<std::string>& of_caller = {});

/// Reads what remains of a line without its flags, which are set. Returns kInvalidArgument if there is no such command,
/// if it does not take so many arguments, and as CheckFlags().
Result<CommandCall> ReadCall(std::vector<std::string> arguments, const std::set<std::string>& of_caller = {});

/// What a flag does, with its default; on one line.
std::string DescriptionOf(const CommandFlag& flag);

/// "gcsflux cp SOURCE... DESTINATION".
std::string Usage(const Command& command);

/// The help of the program; with arguments, of the command that they begin with, or of all that begin with them
/// ("checkpoint"). With `all`, all flags of gcsflux too. kInvalidArgument if there is no such command.
Result<std::string> Help(const std::vector<std::string>& arguments, bool all);

}  // namespace gcsflux::cli
