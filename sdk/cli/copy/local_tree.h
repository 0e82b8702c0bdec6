#pragma once

#include <stop_token>
#include <string>

#include "cli/arguments/tree.h"
#include "cli/terminal/transfer_monitor.h"
#include "gcsflux/result.h"

namespace gcsflux::cli {

/// Walks a directory; its path ends with a slash. A symbolic link is followed if it is the directory itself. Below it,
/// links are left out; so are sockets, pipes and devices. Temporary files of downloads are left out without a message.
/// What is left out or cannot be examined is reported to the monitor. Returns kLocalIo if the directory cannot be read.
Result<ListedTree> WalkDirectory(const std::string& directory, TransferMonitor& monitor, const std::stop_token& stop);

/// One file, as an entry of this name. Returns kLocalIo if it is not a regular file.
Result<TreeEntry> LookAtFile(const std::string& path, const std::string& name);

/// Makes the directories of `name` below `root`, and `root` itself. Returns kLocalIo if one of them exists and is not a
/// directory, or is a symbolic link below `root`, which could lead anywhere.
Result<void> MakeDirectories(const std::string& root, const std::string& name);

}  // namespace gcsflux::cli
