#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "gcsflux/object_reader.h"

namespace gcsflux::cli {

/// An object's bytes to a sink, in their order, and compared with its CRC32C at the end. A large object is fetched over
/// several connections. The first `offset` bytes are left out; `crc32c` is theirs.
Result<void> PrintSource(const Client& client, const ObjectReaderOptions& options, const DownloadSource& source,
                         const ByteSink& sink, std::uint64_t offset = 0, std::uint32_t crc32c = 0);

/// The same of an object of which at most the generation is known: the first request tells its size. Prints into a file
/// that is open, and shows the progress unless that is a terminal. `name` is for messages.
Result<void> PrintWithProgress(const Client& client, const ObjectReaderOptions& options, const ObjectName& object,
                               std::FILE* out, const std::string& name);

/// Takes bytes into a file that is open.
ByteSink Into(std::FILE* out, const std::string& name);

}  // namespace gcsflux::cli
