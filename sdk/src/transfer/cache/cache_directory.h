#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

/// The directory of a disk cache, which processes share: the bytes of its entries are counted in one file under a lock,
/// and one process at a time removes the entries that were not used for the longest time. A process that is killed
/// leaves at most a file that the next removal finds, and a count that is too high, which that corrects. Thread-safe;
/// made in the process that uses it.
class CacheDirectory {
 public:
  /// Returns kLocalIo if the directory cannot be used, and kInvalidArgument if it is no cache or others have access.
  static Result<std::unique_ptr<CacheDirectory>> Open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Opens a regular file of this user; none if there is no such file.
  [[nodiscard]] OwnedFile OpenToRead(const std::string& name) const;
  /// A new file of a name of its own and of this size, locked. Returns kLocalIo.
  struct NewFile {
    OwnedFile file;
    std::string name;
  };
  [[nodiscard]] Result<NewFile> Create(std::uint64_t bytes) const;
  /// Sets its bytes aside on the disk. Returns kLocalIo if there is no room.
  Result<void> Allocate(const NewFile& made, std::uint64_t bytes) const;
  /// True if it has the name now. False also if another one had the name.
  [[nodiscard]] bool Rename(const std::string& from, const std::string& to) const;
  /// Returns false if it was not there.
  bool Remove(const std::string& name) const;
  /// It was used now.
  void Touch(const OwnedFile& file) const;

  /// What a file of so many bytes takes.
  static std::uint64_t OnDisk(std::uint64_t bytes);
  /// Counts the bytes of a file that was created, if that is within the bound. If not, removes old entries first; if
  /// another thread or process is doing that, returns false.
  bool Reserve(const NewFile& made, std::uint64_t bytes, std::uint64_t most, Evicted& evicted);
  void Unreserve(std::uint64_t bytes);

 private:
  CacheDirectory(std::string path, OwnedFile directory, OwnedFile count)
      : path_(std::move(path)), directory_(std::move(directory)), count_(std::move(count)) {}

  // Replaces the count by `change(count)` under the lock. Returns the new one.
  std::uint64_t ChangeCount(const std::function<std::uint64_t(std::uint64_t count)>& change);
  // Adds them if the count stays within `most`.
  bool Add(std::uint64_t bytes, std::uint64_t most);
  // Removes old entries until at most `leave` bytes are left, without the file that is to be counted.
  Evicted Evict(const NewFile& uncounted, std::uint64_t leave);

  std::string path_;
  OwnedFile directory_;
  Mutex count_mutex_;
  OwnedFile count_;
  Mutex evicting_mutex_;
  bool is_evicting_ GUARDED_BY(evicting_mutex_) = false;
};

}  // namespace gcsflux::internal
