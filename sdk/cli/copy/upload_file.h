#pragma once

#include <cstdint>
#include <string>

#include "gcsflux/upload.h"

namespace gcsflux::cli {

/// Like UploadFile. If the upload needs a session (more than a chunk), the next run of the program resumes it, however
/// this one ended, if the file is the same (its size and its modification time). Returns how many bytes an earlier run
/// had sent.
Result<std::uint64_t> UploadResumably(const Client& client, const std::string& path, const ObjectName& object,
                                      const UploadOptions& options);

}  // namespace gcsflux::cli
