#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal/json_object.h"
#include "gcsflux/result.h"

// Standard output of any kind.
namespace gcsflux::cli {

/// If one of the descriptors 0, 1 and 2 is closed, opens it on /dev/null, so that no socket or pipe gets its number.
/// Call it first.
void OpenClosedDescriptors();

/// Text from outside (a name, an attribute) for standard output. On a terminal, '?' replaces control characters. A pipe
/// or a file gets the text unchanged.
std::string Shown(std::string text);

/// Writes Shown() of the line to standard output.
void PrintLine(std::string line);

/// Writes what a command has done to standard error, as one line. With --quiet, writes nothing.
void SayDone(const std::string& what);

/// A change of what `uri` names, in the imperative and as done.
struct Change {
  std::string_view action;  ///< "delete"
  std::string_view done;    ///< "deleted"
};

/// The beginning of a JSON line on it: {"done":"deleted","uri":"gs://..."}, or with --dry_run {"action":"delete", ...}.
JsonObject JsonOf(const Change& change, const std::string& uri);

/// Writes that line with --json; otherwise with --dry_run "delete gs://...", and without both nothing.
void PrintChange(const Change& change, const std::string& uri);

/// A number of bytes, or with --human "12.3 MB".
std::string SizeText(std::uint64_t bytes);

/// Eight digits: "0a1b2c3d".
std::string Hex(std::uint32_t number);

/// "2024-01-31T23:59:59Z".
std::string Iso8601(std::chrono::system_clock::time_point time);

/// Writes the buffered output. Returns kLocalIo if not all of it could be written.
Result<void> FlushOutput();

}  // namespace gcsflux::cli
