#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "gcsflux/object_reader.h"
#include "transfer/cache/disk_cache.h"

namespace gcsflux::internal {

/// The bytes of a shard from front to back: those that the cache has, as far as they are right, and the rest from the
/// service. What comes from the service from the first byte on is kept. For one thread, which waits for the disk.
class ShardBytes {
 public:
  /// Without a cache, all bytes are the service's.
  static Result<std::unique_ptr<ShardBytes>> Open(const Client& client, const DownloadSource& source,
                                                  const ObjectReaderOptions& options, std::shared_ptr<DiskCache> cache);

  /// The next bytes, valid until the next call; none behind the last one.
  Result<std::span<const std::byte>> Next();
  /// Behind the last byte: compares those of the service with the shard's CRC32C.
  Result<void> Finish();
  void Prefetch(std::uint64_t bytes) const {
    if (reader_) reader_->Prefetch({ByteRange{0, bytes}});
  }

 private:
  ShardBytes(const Client& client, DownloadSource source, ObjectReaderOptions options, std::shared_ptr<DiskCache> cache)
      : client_(client), source_(std::move(source)), options_(std::move(options)), cache_(std::move(cache)) {}
  Result<void> OpenReader();

  const Client client_;
  const DownloadSource source_;
  const ObjectReaderOptions options_;
  const std::shared_ptr<DiskCache> cache_;
  std::unique_ptr<CachedBytes> cached_ = {};
  std::optional<ObjectReader> reader_ = {};  // Absent while the cache has the bytes.
  std::unique_ptr<NewCacheEntry> kept_ = {};
  std::uint64_t position_ = 0;
};

}  // namespace gcsflux::internal
