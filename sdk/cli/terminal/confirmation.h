#pragma once

#include <string>

namespace gcsflux::cli {

/// Whether a user can be asked: standard input and standard error are a terminal.
bool CanAsk();

/// Writes the question to standard error, and waits for a line. True for "y" and "yes", in any case of letters.
bool Ask(const std::string& question);

}  // namespace gcsflux::cli
