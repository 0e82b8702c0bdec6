#pragma once

#include <cstdint>
#include <string>

#include "gcsflux/upload.h"

namespace gcsflux::cli {

/// UploadFile() with a state in the user's directory: the next run of the program continues an interrupted
/// upload of the same file. Returns how many bytes an earlier run had sent.
Result<std::uint64_t> UploadResumably(const Client& client, const std::string& path, const ObjectName& object,
                                      const UploadOptions& writing);

}  // namespace gcsflux::cli
