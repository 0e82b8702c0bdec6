#pragma once

#include <span>
#include <string>

#include "base/or_error.h"

namespace gcsflux::conformance {

struct Options {
  std::string endpoint = {};                          ///< Empty: the embedded emulator.
  std::string project = "gcsflux-conformance";        ///< Owner of the buckets.
  std::string access_token_file = {};                 ///< Empty: anonymous.
  std::string bucket_prefix = "gcsflux-conformance";  ///< Buckets are PREFIX-RUN-NUMBER.
  std::string cases = {};                             ///< A file or a directory; empty: the embedded cases.
  std::string retry_tests = {};                       ///< A file of retry scenarios to run instead; empty: none.
  std::string filter = "*";                           ///< Glob over "file/Case"; * crosses the slash.
  bool list = false;
  bool help = false;
};

/// Reads `--name=value`, `--name value` and `--name`; `arguments` are without the program's name.
///
/// The error of an unknown flag, a bad value or a positional argument says which, and what would be right.
OrError<Options> ParseOptions(std::span<const char* const> arguments);

/// What --help prints.
std::string Usage();

/// Whether `endpoint` is plain http to another machine, where an access token would travel in the clear.
bool IsPlainHttpBeyondLoopback(const std::string& endpoint);

}  // namespace gcsflux::conformance
