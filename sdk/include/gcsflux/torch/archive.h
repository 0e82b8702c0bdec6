#pragma once

#include <functional>

#include "gcsflux/client.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/parallel_writer.h"
#include "gcsflux/torch/storage_error.h"

namespace torch::serialize {
class InputArchive;
class OutputArchive;
}  // namespace torch::serialize

namespace gcsflux {

/// Streams a libtorch archive to `object` over many connections. It is visible only when it is complete. Uses at most
/// ParallelWriterOptions::part_memory_bytes beyond the tensors' own memory.
///
/// `fill` writes the values: `[&](auto& archive) { model->save(archive); }` makes the file that `torch::save(model,
/// ...)` writes. Throws StorageError with the errors of ParallelWriter, and with kInvalidArgument if libtorch cannot
/// serialise a value. If `fill` throws, its exception is passed on. In both cases nothing becomes visible. For a view
/// by conj(), libtorch writes the memory and not the elements: write its resolve_conj().resolve_neg().
ObjectMetadata SaveArchive(const Client& client, const ObjectName& object,
                           const std::function<void(torch::serialize::OutputArchive&)>& fill,
                           const ParallelWriterOptions& options = {});

/// Reads an archive back; `use` takes what it needs: `[&](auto& archive) { model->load(archive); }`.
///
/// The object is fetched over many connections, ahead of libtorch. Memory: the archive's tensors, and during the read
/// at most ObjectReaderOptions::read_ahead_bytes. The object's CRC32C is checked before `use` sees a byte. libtorch
/// itself checks nothing, not even shapes (LoadCheckpoint() does).
///
/// Throws StorageError with:
/// - kNotFound if there is no such object,
/// - kAborted if it is replaced meanwhile,
/// - kCorrupted if a checksum differs,
/// - kUndecodable if it is not an archive, or lacks what `use` reads.
/// Other exceptions of `use` are passed on.
void LoadArchive(const Client& client, const ObjectName& object,
                 const std::function<void(torch::serialize::InputArchive&)>& use,
                 const ObjectReaderOptions& options = {});

}  // namespace gcsflux
