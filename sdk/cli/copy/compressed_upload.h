#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "gcsflux/upload.h"

namespace gcsflux::cli {

/// Fills the memory with the next bytes, and returns their number; 0 at the end.
using ByteSource = std::function<Result<std::size_t>(std::span<std::byte> into)>;

/// Stores what the source gives, as one object, all or nothing. If the attributes say Content-Encoding: gzip,
/// compresses it meanwhile. Holds as much memory as an ObjectWriter, and continues no earlier upload.
Result<ObjectMetadata> UploadFrom(const Client& client, const ByteSource& source, const ObjectName& object,
                                  const UploadOptions& options);

/// The same of a regular file. UploadOptions::on_progress is told of the file's bytes. Returns kLocalIo, and stores
/// nothing, if the file cannot be read, or changed meanwhile.
Result<ObjectMetadata> UploadCompressed(const Client& client, const std::string& path, const ObjectName& object,
                                        const UploadOptions& options);

}  // namespace gcsflux::cli
