#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/process/mutex.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// An open file of this process only: a copy of its descriptor in a child would hold its lock.
class OwnedFile {
 public:
  OwnedFile() = default;
  /// As openat(), and closed on exec; errno says why there is none.
  static OwnedFile Open(int directory, const std::string& name, int flags, unsigned int mode = 0);
  OwnedFile(OwnedFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OwnedFile& operator=(OwnedFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~OwnedFile();

  [[nodiscard]] int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

/// What was removed to make room.
struct Evicted {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

/// The directory of a disk cache, which processes share. The bytes of its files are counted in one file, under its
/// lock. A file gets its name under the lock too, and is removed after the count was lowered: the count is never too
/// low. If there is no room, the lock is held while the entries that were not used for the longest time are removed. A
/// process that is killed leaves at most a file without an entry's name, and a count that is too high; the next removal
/// corrects both. If another process keeps the lock, because it was stopped, no call waits for it for long.
/// Thread-safe; made in the process that uses it.
class CacheDirectory {
 public:
  /// Returns kLocalIo if the directory cannot be used, and kInvalidArgument if it is no cache or others have access.
  static Result<std::unique_ptr<CacheDirectory>> Open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Opens a regular file of this user; none if there is no such file.
  [[nodiscard]] OwnedFile OpenToRead(const std::string& name) const;
  /// It was used now.
  void Touch(const OwnedFile& file) const;

  /// What a file of so many bytes takes.
  static std::uint64_t OnDisk(std::uint64_t bytes);

  /// A new file of a name of its own and of this size, locked. Returns kLocalIo.
  struct NewFile {
    OwnedFile file;
    std::string name;
    std::uint64_t bytes = 0;  ///< On the disk.
  };
  [[nodiscard]] Result<NewFile> Create(std::uint64_t bytes) const;
  /// Counts it. If that is not within the bound, removes old entries first. Returns false if there is no room.
  bool Reserve(const NewFile& made, std::uint64_t most, Evicted& evicted);
  /// Sets its bytes aside on the disk. Returns kLocalIo if there is no room.
  Result<void> Allocate(const NewFile& made) const;
  /// Gives it the name of an entry. Returns false if there is one already.
  bool Commit(const NewFile& made, const std::string& name);
  /// Removes a file that is not committed; `is_counted` after Reserve().
  void Discard(const NewFile& made, bool is_counted);
  /// Removes an entry of so many bytes on the disk.
  void Remove(const std::string& name, std::uint64_t bytes);

 private:
  CacheDirectory(std::string path, OwnedFile directory, OwnedFile count)
      : path_(std::move(path)), directory_(std::move(directory)), count_(std::move(count)) {}

  // Replaces the count by `change(count)` under the lock. Returns false if another process keeps it.
  bool ChangeCount(const std::function<std::uint64_t(std::uint64_t count)>& change);
  // Under the lock. Removes old entries until at most `leave` bytes are left, without the file that is to be counted.
  // Returns what is left; nothing if the directory cannot be listed.
  std::optional<std::uint64_t> Evict(const NewFile& uncounted, std::uint64_t leave, Evicted& evicted);
  bool Unlink(const std::string& name) const;

  const std::string path_;
  const OwnedFile directory_;
  Mutex mutex_;
  const OwnedFile count_;
  bool is_locked_out_ GUARDED_BY(mutex_) = false;
};

}  // namespace gcsflux::internal
