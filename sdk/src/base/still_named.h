#pragma once

#include <sys/stat.h>

#include <string>

namespace gcsflux::internal {

/// Whether an open file still has this name: the previous owner of its lock may have renamed or removed it.
inline bool IsStillNamed(int descriptor, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace gcsflux::internal
