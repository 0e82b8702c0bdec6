#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

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
  std::vector<std::string> tags = {};                 ///< Globs over operations, subjects and tags. If empty, all.
  std::string bucket = {};                ///< The only one to use. If empty, cases have buckets of their own.
  std::string endpoint_profile = {};      ///< The name or file of what is known of the endpoint.
  std::string baseline = {};              ///< A report whose failures are known.
  bool form_fails = true;                 ///< Whether unknown differences of form are status 1.
  std::vector<std::string> reports = {};  ///< Files.
  int jobs = 1;                           ///< Cases at the same time.
  std::int64_t max_requests = 0;          ///< 0: any number.
  bool list = false;
  bool dry_run = false;  ///< Prints what would be sent, and what it would cost.
  bool clean = false;    ///< Removes what ended runs have left, and runs no case.
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
