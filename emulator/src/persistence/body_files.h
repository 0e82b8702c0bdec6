#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/failure.h"
#include "store/bytes/extent.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

/// Bytes in a file, without the file.
struct FileRange {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend auto operator<=>(const FileRange&, const FileRange&) = default;  // NOLINT(modernize-use-nullptr)
};

/// The files of a directory that hold the bodies of objects. Bodies are written one after the other, and never again.
/// The space of those that are no longer held returns to the system: as a hole, or with the whole file. Thread-safe.
class BodyFiles {
 public:
  /// Opens the files that are there. Throws std::runtime_error. With `syncs`, Sync() makes them survive a loss of
  /// power.
  BodyFiles(std::filesystem::path directory, bool syncs);
  ~BodyFiles();
  BodyFiles(const BodyFiles&) = delete;
  BodyFiles& operator=(const BodyFiles&) = delete;

  /// The same bytes in files. Those that are in files already stay where they are. kUnavailable if there is no space.
  Outcome<Rope> Write(const Rope& bytes);
  /// Makes what was written survive as far as the constructor says.
  Outcome<void> Sync();

  /// The extents of ranges that were written before, in the ranges' order. Those that overlap share one. If a file was
  /// cut or is missing, reading throws DamagedBytes. Call it once, before Write().
  std::vector<std::shared_ptr<const Extent>> Adopt(const std::vector<FileRange>& ranges);
  /// Gives back the space that no adopted range is in. Returns the bytes. Call it once, after Adopt().
  std::uint64_t Reclaim();
  /// From now on, or no longer, the space of extents is given back when they are destroyed. It is not at first.
  void FreeUnused(bool frees) { frees_ = frees; }

 private:
  struct File;
  class FileExtent;
  using FilePtr = std::shared_ptr<File>;
  struct Allocation {
    FilePtr file = {};
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  [[nodiscard]] std::filesystem::path PathOf(std::uint32_t number) const;
  FilePtr Open(std::uint32_t number, bool is_new);
  Outcome<Rope> WriteNew(const Rope& bytes);
  Outcome<Allocation> Allocate(std::uint64_t wanted);
  Outcome<void> Begin();
  void MarkDirty(File& file);
  std::shared_ptr<const Extent> MakeExtent(const FilePtr& file, std::uint64_t offset, std::uint64_t size);
  void Free(File& file, std::uint64_t offset, std::uint64_t size);
  void RemoveIfEmptyLocked(const File& file);

  const std::filesystem::path directory_;
  const bool syncs_;
  std::atomic<bool> frees_ = false;

  std::mutex begin_mutex_;  // held while a file is begun
  std::mutex mutex_;        // guards what follows
  std::map<std::uint32_t, FilePtr> files_;
  FilePtr current_;                // where the next bytes go; null if a file must be begun
  std::uint32_t last_number_ = 0;  // of any file that ever was
};

}  // namespace gcsflux::emulator
