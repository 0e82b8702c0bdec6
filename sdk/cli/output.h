#pragma once

#include <string>

#include "gcsflux/result.h"

// Standard output, of whatever kind it is.
namespace gcsflux::cli {

/// Opens those of descriptors 0, 1 and 2 that are closed on /dev/null, so that no socket or pipe becomes one of them.
/// Before anything else.
void OpenClosedDescriptors();

/// What comes from others (a name, an attribute) as it is written to standard output: with '?' for control characters
/// on a terminal, which they would steer; unchanged into a pipe or a file.
std::string Shown(std::string text);

/// Writes out what is buffered. kLocalIo where not all that was written is there.
Result<void> FlushOutput();

}  // namespace gcsflux::cli
