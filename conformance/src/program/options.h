#pragma once

#include <chrono>
#include <string>

#include "base/or_error.h"

namespace gcsflux::conformance {

struct Options {
  std::string endpoint = {};                          ///< If empty, the embedded emulator.
  std::string project = "gcsflux-conformance";        ///< The owner of the buckets.
  std::string access_token_file = {};                 ///< If empty, requests are anonymous.
  std::string bucket_prefix = "gcsflux-conformance";  ///< Buckets are PREFIX-RUN-NUMBER.
  std::string cases = {};                             ///< A file or a directory. If empty, the embedded cases.
  std::string retry_tests = {};                       ///< A file of retry scenarios to run instead of cases, or empty.
  std::chrono::seconds case_timeout{300};             ///< For a case, and again for its cleaning.
  std::chrono::seconds timeout{3600};                 ///< For all cases.
  std::string filter = "*";                           ///< A glob over "file/Case"; * matches slashes too.
  bool list = false;
  bool version = false;
  bool help = false;
};

/// Reads the flags by gcsflux's ParseFlags(). For an unknown flag, a bad value or a positional argument, the error
/// names it and says what would be right.
OrError<Options> ParseOptions(int argc, const char* const* argv);

/// What --help prints.
std::string Usage();

/// Whether `endpoint` is plain http to another machine: an access token would be readable on the network.
bool IsPlainHttpBeyondLoopback(const std::string& endpoint);

}  // namespace gcsflux::conformance
