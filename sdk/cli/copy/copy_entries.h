#pragma once

#include <string>
#include <vector>

#include "cli/copy/copy_run.h"
#include "gcsflux/client.h"

namespace gcsflux::cli {

/// cp and mv of files and objects: all arguments but the last one are sources. They are names, wildcards, or with
/// --recursive directories.
Result<void> CopyEntries(const Client& client, const std::vector<std::string>& arguments, const CopyRun& run);

/// The error for two arguments of which neither is in a bucket.
Error NoUriAmong(const std::string& source, const std::string& destination);

/// Whether one of two roots in buckets contains the other one. Then a copy would read its own copies.
bool DoOverlap(const Root& a, const Root& b);

}  // namespace gcsflux::cli
