#pragma once

#include <cstdio>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/result.h"

namespace gcsflux::cli {

/// Runs this program with these arguments in a process of its own, and waits for its end. It has an empty standard
/// input, its standard output goes into `out`, and it shares standard error. If `stop` is requested, it gets SIGTERM.
/// Returns its exit status, or 128 and the signal that ended it. Thread-safe.
Result<int> RunOwnProcess(const std::vector<std::string>& arguments, std::FILE* out, const std::stop_token& stop);

}  // namespace gcsflux::cli
