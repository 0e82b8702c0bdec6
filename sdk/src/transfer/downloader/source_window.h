#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/process/mutex.h"
#include "gcsflux/download.h"

namespace gcsflux::internal {

/// Provides a stream's sources while it runs. Used by one thread at a time, under a lock: it does no I/O.
class SourceFeed {
 public:
  virtual ~SourceFeed() = default;
  /// The next sources in order, any convenient number. None if the next one is not known yet, and at the end.
  virtual std::vector<DownloadSource> Next() = 0;
  /// True if there will be no more sources.
  [[nodiscard]] virtual bool is_over() const = 0;
  /// How many more sources there will be, as far as known.
  [[nodiscard]] virtual std::uint64_t expected() const = 0;
};

/// The sources of one download by index: all of them, or those that a feed has given so far and that are still needed.
/// Thread-safe.
class SourceWindow {
 public:
  /// All sources, which must outlive it.
  explicit SourceWindow(std::span<const DownloadSource> all);
  /// All sources, which it owns.
  explicit SourceWindow(std::vector<DownloadSource>&& all);
  explicit SourceWindow(std::unique_ptr<SourceFeed> feed) : feed_(std::move(feed)) {}

  struct Rest {
    /// The requested source and the following ones in the same block. None if it is not known yet, and at the end.
    std::span<const DownloadSource> sources = {};
    std::uint64_t expected = 0;  ///< How many follow them.
    bool is_over = false;        ///< The requested source is behind the last one.
  };
  /// Asks the feed if necessary. `index` never decreases.
  Rest From(std::size_t index);

  /// A source that From() has returned, until it is dropped.
  [[nodiscard]] const DownloadSource& At(std::size_t index) const { return Of(index, 1).front(); }
  /// Consecutive sources in one block.
  [[nodiscard]] std::span<const DownloadSource> Of(std::size_t first, std::size_t count) const;

  /// This source is not needed any more. Drop each source once at most.
  void Drop(std::size_t index);

 private:
  struct Block {
    std::vector<DownloadSource> owned = {};
    std::span<const DownloadSource> sources = {};
    std::size_t kept = 0;  // Sources of it that are not dropped.
  };
  [[nodiscard]] std::map<std::size_t, Block>::const_iterator Find(std::size_t index) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  const std::unique_ptr<SourceFeed> feed_ PT_GUARDED_BY(mutex_);  // Null if all sources are known.
  std::map<std::size_t, Block> blocks_ GUARDED_BY(mutex_);        // By the index of its first source.
  std::size_t known_ GUARDED_BY(mutex_) = 0;
};

}  // namespace gcsflux::internal
