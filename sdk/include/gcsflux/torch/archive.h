#pragma once

#include <functional>

#include "gcsflux/client.h"
#include "gcsflux/torch/storage_error.h"
#include "gcsflux/upload.h"

namespace torch::serialize {
class InputArchive;
class OutputArchive;
}  // namespace torch::serialize

namespace gcsflux {

/// Streams a libtorch archive to `object` with bounded memory (one upload chunk); visible only when it is complete.
///
/// `fill` writes what is to be saved: `[&](auto& archive) { model->save(archive); }` makes the file that
/// `torch::save(model, ...)` writes. Throws StorageError (kInvalidArgument where libtorch cannot serialise a value);
/// nothing becomes visible then, nor when `fill` throws (its exception goes on).
ObjectMetadata SaveArchive(const Client& client, const ObjectName& object,
                           const std::function<void(torch::serialize::OutputArchive&)>& fill,
                           const UploadOptions& options = {});

/// Reads an archive back; `use` takes what it needs: `[&](auto& archive) { model->load(archive); }`.
///
/// Memory: up to twice the object's size while libtorch copies the tensors out of it; once while `use` runs. Its CRC32C
/// is checked before `use` sees a byte: libtorch itself checks nothing, shapes included (LoadCheckpoint() does). Throws
/// StorageError: kNotFound, kCorrupted, and kUndecodable where the object is no archive or lacks what `use` reads.
/// Other exceptions of `use` go on as they are.
void LoadArchive(const Client& client, const ObjectName& object,
                 const std::function<void(torch::serialize::InputArchive&)>& use);

}  // namespace gcsflux
