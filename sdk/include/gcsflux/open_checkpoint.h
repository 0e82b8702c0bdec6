#pragma once

#include <memory>
#include <string>

#include "gcsflux/object_reader.h"
#include "gcsflux/stored_checkpoint.h"

// Checkpoints by their place: objects "gs://bucket/name", and local files.
namespace gcsflux {

/// A source over the generation of an object that the reader has open; ranges are read at the same time.
ByteSource SourceOf(std::shared_ptr<const ObjectReader> reader);

/// A source over a local file, which must not change while it is read. Thread-safe.
Result<ByteSource> SourceOfFile(const std::string& path);

/// Opens a checkpoint of any format that is read: an object, or where `uri` has no gs:// a local file. The format is
/// told by the bytes. Of an index of safetensors all files are opened, at the same time. A folder, "gs://bucket/name/" or
/// a local one, is all files in it that end in .safetensors: what PyTorch DCP saves without an index.
///
/// An object takes a request for its metadata, two at the same time for both ends, and one or two more where directory,
/// pickle or header are longer; then one tensor, or any number of them, takes one round trip. kNotFound, kUndecodable.
Result<StoredCheckpoint> OpenCheckpoint(const Client& client, const std::string& uri,
                                        const ObjectReaderOptions& options = {});

}  // namespace gcsflux
