#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "base/process/open_files.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// The error of errno on a local file: "cannot write '/data/x': No space left on device".
inline Error LocalError(const std::string& what, const std::string& path, int error = errno) {
  const std::string remedy = IsOutOfDescriptors(error) ? "; " + std::string(kRemedyForOpenFiles) : "";
  return Error{ErrorCode::kLocalIo, "cannot " + what + " '" + path + "': " + std::strerror(error) + remedy};
}

}  // namespace gcsflux::internal
