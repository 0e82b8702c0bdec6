#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/process/mutex.h"
#include "gcsflux/dataset.h"
#include "gcsflux/download.h"
#include "transfer/cache/cache_directory.h"
#include "transfer/cache/cache_entry.h"

namespace gcsflux::internal {

/// Counts what caches have done for one dataset. Thread-safe, in child processes too.
class CacheTally {
 public:
  [[nodiscard]] CacheReport report() const {
    const MutexLock lock(mutex_);
    return report_;
  }
  void NoteHit(std::uint64_t bytes) {
    const MutexLock lock(mutex_);
    ++report_.hits;
    report_.hit_bytes += bytes;
  }
  void NoteMiss() {
    const MutexLock lock(mutex_);
    ++report_.misses;
  }
  void NoteStored(std::uint64_t bytes) {
    const MutexLock lock(mutex_);
    ++report_.stored;
    report_.stored_bytes += bytes;
  }
  void NoteDamaged() {
    const MutexLock lock(mutex_);
    ++report_.damaged;
  }
  void NoteEvicted(const Evicted& evicted) {
    const MutexLock lock(mutex_);
    report_.evictions += evicted.entries;
    report_.evicted_bytes += evicted.bytes;
  }
  /// True for the first error.
  bool NoteError(const std::string& message) {
    const MutexLock lock(mutex_);
    if (!report_.error.empty()) return false;
    report_.error = message;
    return true;
  }

 private:
  mutable LeafMutex mutex_;
  CacheReport report_ GUARDED_BY(mutex_);
};

class DiskCache;

/// An entry that is read from front to back. For one thread. Used as long as its cache.
class CachedBytes {
 public:
  /// The next block, each compared with its CRC32C; none behind the last one. Valid until the next call. Nothing if the
  /// rest cannot be used: the entry is removed then.
  std::optional<std::span<const std::byte>> Next();

 private:
  friend class DiskCache;
  CachedBytes(DiskCache& cache, CacheEntry entry, OwnedFile file, std::vector<std::uint32_t> checksums)
      : cache_(cache), entry_(std::move(entry)), file_(std::move(file)), checksums_(std::move(checksums)) {}

  DiskCache& cache_;
  const CacheEntry entry_;
  const OwnedFile file_;
  const std::vector<std::uint32_t> checksums_;
  std::vector<std::byte> buffer_ = {};
  std::size_t next_ = 0;
};

/// An entry that is written from front to back. If it is not committed, nothing is kept. For one thread. Used as long
/// as its cache.
class NewCacheEntry {
 public:
  ~NewCacheEntry();
  NewCacheEntry(const NewCacheEntry&) = delete;
  NewCacheEntry& operator=(const NewCacheEntry&) = delete;

  void Append(std::span<const std::byte> bytes);
  /// All bytes have come, and their CRC32C is right.
  void Commit();

 private:
  friend class DiskCache;
  NewCacheEntry(DiskCache& cache, CacheEntry entry, CacheDirectory::NewFile file)
      : cache_(cache), entry_(std::move(entry)), file_(std::move(file)) {}
  bool Write(std::uint64_t offset, std::span<const std::byte> bytes);

  DiskCache& cache_;
  const CacheEntry entry_;
  CacheDirectory::NewFile file_;
  std::vector<std::uint32_t> checksums_ = {};
  std::uint64_t written_ = 0;
  bool has_failed_ = false;
  bool is_committed_ = false;
};

/// Objects, parts of objects and shards on a local disk, for one dataset: CacheOptions. It is only a help: no failure
/// of it is an error, and after one that may last it keeps nothing more. Its methods wait for the disk: event loops
/// call them by RunUserCode(). Thread-safe; made in the process that uses it.
class DiskCache {
 public:
  /// Told of the first failure that lasts.
  using OnError = std::function<void(const Error& error)>;
  DiskCache(const CacheOptions& options, std::string endpoint, std::shared_ptr<CacheTally> tally, OnError on_error);

  /// Reads all bytes of the source into open(), compared with their CRC32C. False if they must be fetched; then the
  /// content of that memory is undefined. `open` is not called for an empty source.
  bool Read(const DownloadSource& source, const std::function<Result<std::span<std::byte>>()>& open);
  /// Keeps bytes whose CRC32C was compared with the source's.
  void Write(const DownloadSource& source, std::span<const std::byte> bytes);

  /// The same piece by piece. Null if they must be fetched, or are not kept.
  std::unique_ptr<CachedBytes> Find(const DownloadSource& source);
  std::unique_ptr<NewCacheEntry> Begin(const DownloadSource& source);

 private:
  friend class CachedBytes;
  friend class NewCacheEntry;
  struct Opened {
    OwnedFile file;
    std::vector<std::uint32_t> checksums;
  };
  std::optional<Opened> Open(const CacheEntry& entry);
  [[nodiscard]] static bool ReadBlock(const CacheEntry& entry, const OwnedFile& file, std::size_t block,
                                      std::uint32_t crc32c, std::span<std::byte> into);
  void RemoveDamaged(const CacheEntry& entry);
  void Fail(const Error& error);

  const CacheOptions options_;
  const std::string endpoint_;
  const std::shared_ptr<CacheTally> tally_;
  const OnError on_error_;
  const std::unique_ptr<CacheDirectory> directory_;  // Null if it cannot be used.
  std::atomic<bool> keeps_more_ = true;
};

}  // namespace gcsflux::internal
