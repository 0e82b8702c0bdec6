#pragma once

#include <stop_token>

#include "transfer/file/partial_file.h"

namespace gcsflux::internal {

/// Whether the file begins as gzip data does (RFC 1952). False too if it cannot be read.
bool BeginsAsGzip(const PartialFile& file);

/// Decompresses a complete download of `options.size` bytes into a second temporary file, gives that one the
/// destination's name, and removes `stored`. Returns kUndecodable if the bytes are damaged, kCancelled if `stop` is
/// stopped, and errors as PartialFile::Commit(). After an error `stored` is as it was.
Result<void> CommitDecompressed(PartialFile& stored, const PartialFile::CommitOptions& options,
                                const std::stop_token& stop);

}  // namespace gcsflux::internal
