#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "gcsflux/download.h"

namespace gcsflux::internal {

/// Where a stream's sources come from while it runs. Used by one thread at a time, under a lock: it does no I/O.
class SourceFeed {
 public:
  virtual ~SourceFeed() = default;
  /// The next ones, in order, as many as come in handy. None where the next one is not known yet, and at the end.
  virtual std::vector<DownloadSource> Next() = 0;
  /// There will be no more.
  [[nodiscard]] virtual bool is_over() const = 0;
  /// How many more there will be, as far as that is known.
  [[nodiscard]] virtual std::uint64_t expected() const = 0;
};

/// The sources of one download, by their index: all of them, or those that a feed has given so far and that are still
/// of use. Thread-safe.
class SourceWindow {
 public:
  /// All of them; they outlive it.
  explicit SourceWindow(std::span<const DownloadSource> all);
  explicit SourceWindow(std::unique_ptr<SourceFeed> feed) : feed_(std::move(feed)) {}

  struct Rest {
    /// The source asked for and those behind it that lie together; none where it is not known yet, and at the end.
    std::span<const DownloadSource> sources = {};
    std::uint64_t expected = 0;  ///< More, behind them.
    bool is_over = false;        ///< The source asked for is behind the last one.
  };
  /// Asks the feed where it must. `index` never goes back.
  Rest From(std::size_t index);

  /// A source that From() has given, until it is dropped.
  [[nodiscard]] const DownloadSource& At(std::size_t index) const { return Of(index, 1).front(); }
  /// So many that lie together.
  [[nodiscard]] std::span<const DownloadSource> Of(std::size_t first, std::size_t count) const;

  /// This source is of no more use. Each is dropped once at most.
  void Drop(std::size_t index);

 private:
  struct Block {
    std::vector<DownloadSource> owned = {};
    std::span<const DownloadSource> sources = {};
    std::size_t kept = 0;  // Of them, those that were not dropped.
  };
  [[nodiscard]] std::map<std::size_t, Block>::const_iterator Find(std::size_t index) const;

  mutable std::mutex mutex_;
  // Guarded by mutex_:
  const std::unique_ptr<SourceFeed> feed_;  // Null where all are known.
  std::map<std::size_t, Block> blocks_;     // By the index of their first.
  std::size_t known_ = 0;
};

}  // namespace gcsflux::internal
