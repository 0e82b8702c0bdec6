#pragma once

#include <torch/serialize/archive.h>

#include <functional>

#include "gcsflux/client.h"
#include "gcsflux/torch/storage_error.h"
#include "gcsflux/upload.h"

namespace gcsflux {

/// Streams a libtorch archive to `object` with bounded memory (one upload chunk); visible only when it is complete.
///
/// `fill` writes what is to be saved: `[&](auto& a) { model->save(a); }`. The file is what `torch::save` writes.
/// Throws StorageError; nothing becomes visible then, nor when `fill` throws (its exception goes on).
ObjectMetadata SaveArchive(const Client& client, const ObjectName& object,
                           const std::function<void(torch::serialize::OutputArchive&)>& fill,
                           const UploadOptions& options = {});

/// Reads the archive back; `use` takes what it needs: `[&](auto& a) { model->load(a); }`.
///
/// The object's CRC32C is checked before `use` sees a byte: libtorch itself checks nothing. Throws StorageError:
/// kNotFound, kCorrupted, kUndecodable where the object is no archive of libtorch.
void LoadArchive(const Client& client, const ObjectName& object,
                 const std::function<void(torch::serialize::InputArchive&)>& use);

}  // namespace gcsflux
