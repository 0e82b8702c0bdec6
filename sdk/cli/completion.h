#pragma once

#include <string>
#include <string_view>

#include "gcsflux/result.h"

// What shells and man read, by the table of commands.
namespace gcsflux::cli {

/// A script that completes commands and flags; other words are files. `shell` is bash, zsh or fish; another one is
/// kInvalidArgument. A user adds `source <(gcsflux completion bash)` to .bashrc.
Result<std::string> CompletionScript(std::string_view shell);

/// gcsflux(1), in the language of man.
std::string ManPage();

}  // namespace gcsflux::cli
