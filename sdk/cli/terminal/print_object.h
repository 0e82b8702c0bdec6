#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "gcsflux/object_reader.h"

namespace gcsflux::cli {

/// An object's bytes to a sink, in their order, and compared with its CRC32C at the end. A large object is fetched over
/// several connections; of an object of which nothing is known the first request tells its size.
class ObjectPrinter {
 public:
  /// `options` of its readers.
  ObjectPrinter(const Client& client, ObjectReaderOptions options) : client_(client), options_(std::move(options)) {}

  /// `on_progress` is told the object's size too.
  Result<void> Print(const ObjectName& object, const ByteSink& sink, const ProgressCallback& on_progress) const;
  Result<void> Print(const DownloadSource& source, const ByteSink& sink) const;

 private:
  // The bytes from `offset` on; those before it have this checksum.
  Result<void> PrintRest(const DownloadSource& source, std::uint64_t offset, std::uint32_t crc32c,
                         const ByteSink& sink) const;

  const Client& client_;
  const ObjectReaderOptions options_;
};

}  // namespace gcsflux::cli
