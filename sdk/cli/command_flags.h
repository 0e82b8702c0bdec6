#pragma once

#include <string>
#include <string_view>

#include "gcsflux/result.h"

// A flag's description begins with the commands that it is for, up to the colon: "cp --recursive, sync: ...".
namespace gcsflux::cli {

/// Whether a flag with this description is for the command.
bool IsForCommand(std::string_view description, std::string_view command);

/// The flags of one command in the form of FlagsHelp(), then those of every command.
std::string CommandFlagsHelp(std::string_view command);

/// Returns kInvalidArgument if a flag is not for the command. Otherwise the flag would be ignored without a message,
/// even --dry_run.
Result<void> CheckFlags(std::string_view command);

}  // namespace gcsflux::cli
