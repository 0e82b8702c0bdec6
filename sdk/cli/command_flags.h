#pragma once

#include <string>
#include <string_view>

#include "gcsflux/result.h"

// A flag of the program says in its description which commands it is for, up to the colon: "cp --recursive, sync: ...".
namespace gcsflux::cli {

/// Whether a flag of this description is for the command.
bool IsForCommand(std::string_view description, std::string_view command);

/// The flags of one command as FlagsHelp() shows them, then those that every command takes.
std::string CommandFlagsHelp(std::string_view command);

/// kInvalidArgument where a flag was given that the command does not know: it would be silently ignored, --dry_run too.
Result<void> CheckFlags(std::string_view command);

}  // namespace gcsflux::cli
