#pragma once

#include <cstdint>
#include <string>

#include "gcsflux/upload.h"

namespace gcsflux::cli {

/// UploadFile, but that what takes a session (more than a chunk) is gone on with by the next run of the program,
/// however this one ended, as long as the file is the same (its size and its time of modification). Returns how many
/// bytes an earlier run had sent.
Result<std::uint64_t> UploadResumably(const Client& client, const std::string& path, const ObjectName& object,
                                      const UploadOptions& options);

}  // namespace gcsflux::cli
