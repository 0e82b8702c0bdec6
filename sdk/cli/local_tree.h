#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "cli/tree.h"
#include "gcsflux/result.h"

namespace gcsflux::cli {

/// What is below a directory.
struct LocalTree {
  std::vector<TreeEntry> files = {};  ///< Regular ones, in bytewise order of their names.
  std::vector<std::string> left_out =
      {};                            ///< Why what is neither a file nor a directory is not among them: a line each.
  std::vector<Error> failures = {};  ///< What could not be looked at.
};

/// Walks a directory, given with a slash at its end. Symbolic links are followed where they are the directory itself,
/// and left out below it; so are sockets, pipes and devices, and temporary files of downloads without a word. kLocalIo
/// where the directory cannot be read.
Result<LocalTree> WalkDirectory(const std::string& directory, const std::stop_token& stop);

/// One file, as an entry of this name. kLocalIo where it is no regular file.
Result<TreeEntry> LookAtFile(const std::string& path, const std::string& name);

/// CRC32C of a file's bytes.
Result<std::uint32_t> FileCrc32c(const std::string& path, const std::stop_token& stop);

/// Makes the directories of `name` below `root`, which is made too. kLocalIo where one of them is a symbolic link below
/// `root`, which could lead anywhere, or something else.
Result<void> MakeDirectories(const std::string& root, const std::string& name);

}  // namespace gcsflux::cli
