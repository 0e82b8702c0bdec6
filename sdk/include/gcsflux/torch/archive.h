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

/// Streams a libtorch archive to `object` over many connections; visible only when it is complete. Memory beyond the
/// tensors' own: ParallelWriterOptions::max_memory at most.
///
/// `fill` writes what is to be saved: `[&](auto& archive) { model->save(archive); }` makes the file that
/// `torch::save(model, ...)` writes. Throws StorageError (kInvalidArgument where libtorch cannot serialise a value);
/// nothing becomes visible then, nor when `fill` throws (its exception goes on).
ObjectMetadata SaveArchive(const Client& client, const ObjectName& object,
                           const std::function<void(torch::serialize::OutputArchive&)>& fill,
                           const ParallelWriterOptions& options = {});

/// Reads an archive back; `use` takes what it needs: `[&](auto& archive) { model->load(archive); }`.
///
/// It is fetched over many connections, ahead of libtorch. Memory: the archive's tensors, and while they are read
/// ObjectReaderOptions::read_ahead_bytes at most. The object's CRC32C is checked before `use` sees a byte: libtorch
/// itself checks nothing, shapes included (LoadCheckpoint() does).
///
/// Throws StorageError: kNotFound, kAborted where the object is replaced meanwhile, kCorrupted, and kUndecodable where
/// it is no archive or lacks what `use` reads. Other exceptions of `use` go on as they are.
void LoadArchive(const Client& client, const ObjectName& object,
                 const std::function<void(torch::serialize::InputArchive&)>& use,
                 const ObjectReaderOptions& options = {});

}  // namespace gcsflux
