#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/process/owner_process.h"
#include "gcsflux/result.h"
#include "transfer/file/partial_state.h"

namespace gcsflux::internal {

/// The name of the temporary file beside a file of this name: ".NAME.gcsflux-partial". If that is too long for the
/// directory, a hash replaces the end of NAME.
std::string PartialName(std::string_view name);
/// True if PartialName() makes such names.
bool IsPartialName(std::string_view name);

/// Returns kInvalidArgument if the destination's name or its partial file's name is too long for the file system.
Result<void> CheckLength(const std::string& destination);

/// Returns kAlreadyExists if the name is taken, also by a symbolic link.
Result<void> CheckFree(const std::string& path);

/// The temporary file of a download, beside its destination. Its name follows from the destination's, and it is locked,
/// so that only one download of a file runs at a time. Thread-safe, except Clear(), Commit() and Discard().
class PartialFile {
 public:
  /// Opens the file of an earlier download, or makes an empty one. Returns kLocalIo if that is impossible, or another
  /// download uses it. `stage` distinguishes several files of one download.
  static Result<std::unique_ptr<PartialFile>> Open(const std::string& destination, const std::string& stage = {});
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& destination() const { return destination_; }

  /// The state that an earlier download has left. Nothing if there is none, or it is damaged.
  [[nodiscard]] std::optional<PartialState> Load() const;
  /// Empties the file and reserves `bytes` in the file system, if possible. Returns kLocalIo if there is no space.
  Result<void> Clear(std::uint64_t bytes);
  Result<void> Write(std::uint64_t offset, std::span<const std::byte> data) const;
  /// The bytes from `offset` on, and their number. It is smaller than requested only at the end of the file.
  [[nodiscard]] Result<std::size_t> Read(std::uint64_t offset, std::span<std::byte> into) const;
  /// CRC32C of the bytes [offset, offset + length) in the file.
  [[nodiscard]] Result<std::uint32_t> Checksum(std::uint64_t offset, std::uint64_t length) const;
  /// Writes the state behind the object's bytes.
  Result<void> Save(const PartialState& state) const;

  struct CommitOptions {
    std::uint64_t size = 0;
    bool may_replace = true;  ///< If false and the name is taken, returns kAlreadyExists.
    bool is_durable = false;  ///< Waits until file and name are on the disk.
  };
  /// The file is complete and gets the destination's name. Returns kLocalIo if its own name is another file's by now:
  /// that one may be the incomplete file of another download.
  Result<void> Commit(const CommitOptions& options);
  /// Removes the file, unless its name is another file's by now. In a child of the process that opened it, does
  /// nothing.
  void Discard();

 private:
  PartialFile(int descriptor, std::string path, std::string destination)
      : descriptor_(descriptor), path_(std::move(path)), destination_(std::move(destination)) {}
  Result<void> Rename(bool may_replace) const;

  const OwnerProcess owner_;
  const int descriptor_;
  const std::string path_;
  const std::string destination_;
};

}  // namespace gcsflux::internal
