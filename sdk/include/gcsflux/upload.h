#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"

namespace gcsflux {

/// What a write may replace. In every mode a repeated request cannot store twice or undo a rival's later write.
enum class WriteMode {
  kCreate,     ///< Nothing: kPreconditionFailed where an object of the name is live.
  kReplace,    ///< `UploadOptions::generation` and nothing else: kPreconditionFailed otherwise.
  kOverwrite,  ///< Anything. After an ambiguous failure the object is read back, and the repetition is conditional.
};

struct UploadOptions {
  WriteMode mode = WriteMode::kOverwrite;
  std::int64_t generation = 0;  ///< For kReplace.
  ObjectAttributes attributes = {};
  /// Rounded up to a multiple of 256 KiB. A writer holds one chunk in memory; raise it for long, fast connections
  /// (each chunk costs a round trip), lower it where memory is short.
  std::size_t chunk_bytes = 16U << 20;
  CallOptions call = {};
  std::stop_token stop = {};
};

/// Stores `data` as one object: visible whole or not at all, checked by CRC32C on both sides.
///
/// A lost acknowledgement is resolved by reading the object back: the same size, CRC32C, type and metadata count as
/// this call's success.
Result<ObjectMetadata> UploadObject(const Client& client, const ObjectName& object, std::span<const std::byte> data,
                                    const UploadOptions& options = {});

/// Streams an object of unknown length into GCS; it becomes visible when Close() succeeds, else never.
///
/// Up to one chunk is held in memory and sent again when a request fails. After an error every further call returns
/// that error. Destroyed without Close(), it cancels the upload. One thread at a time; movable.
class ObjectWriter {
 public:
  /// Makes no request before the first chunk is full.
  explicit ObjectWriter(Client client, ObjectName object, UploadOptions options = {});
  ObjectWriter(ObjectWriter&&) noexcept;
  ObjectWriter& operator=(ObjectWriter&&) noexcept;
  ~ObjectWriter();

  Result<void> Write(std::span<const std::byte> data);

  /// Sends what is left and commits. kCorrupted (and nothing visible) where the service holds other bytes.
  Result<ObjectMetadata> Close();

  /// Gives up the upload: nothing becomes visible. Nothing to do after Close().
  void Cancel();

 private:
  class Upload;
  std::unique_ptr<Upload> upload_;
};

}  // namespace gcsflux
