#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/fork.h"
#include "gcsflux/result.h"
#include "transfer/file/partial_state.h"

namespace gcsflux::internal {

/// The name of the temporary file beside one of this name: ".NAME.gcsflux-partial", where a directory takes so long a
/// name; else one with a hash in place of the end of NAME.
std::string PartialName(std::string_view name);
/// Whether PartialName() gives such names.
bool IsPartialName(std::string_view name);

/// kInvalidArgument where the file system takes no name as long as the destination's, or as that of its partial file.
Result<void> CheckLength(const std::string& destination);

/// kAlreadyExists where something has the name, a symbolic link too.
Result<void> CheckFree(const std::string& path);

/// A file beside the one that a download is to become: under a name that follows from its, locked, so that there is one
/// download of it at a time. Thread-safe but for Clear(), Commit() and Discard().
class PartialFile {
 public:
  /// Takes the one that an earlier download has left, or makes an empty one. kLocalIo where that cannot be, or another
  /// download has it.
  static Result<std::unique_ptr<PartialFile>> Open(const std::string& destination);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  /// What an earlier download has left; nothing where it is none, or is broken.
  [[nodiscard]] std::optional<PartialState> Load() const;
  /// Forgets what is there and has the file system set `bytes` aside, where it can: kLocalIo where they are not to be
  /// had.
  Result<void> Clear(std::uint64_t bytes);
  Result<void> Write(std::uint64_t offset, std::span<const std::byte> data) const;
  /// CRC32C of [offset, offset + length) as it is in the file.
  [[nodiscard]] Result<std::uint32_t> Checksum(std::uint64_t offset, std::uint64_t length) const;
  /// Keeps the state behind the object's bytes.
  Result<void> Save(const PartialState& state) const;

  struct CommitOptions {
    std::uint64_t size = 0;
    bool may_replace = true;  ///< kAlreadyExists otherwise, where something is there.
    bool is_durable = false;  ///< Waits until file and name are on the disk.
  };
  /// The file is whole, and takes the destination's name.
  Result<void> Commit(const CommitOptions& options);
  /// Removes the file; not in a child of the process that opened it, whose it is.
  void Discard();

 private:
  PartialFile(int descriptor, std::string path, std::string destination)
      : descriptor_(descriptor), path_(std::move(path)), destination_(std::move(destination)) {}
  Result<void> Rename(bool may_replace) const;

  const ProcessMark made_in_;
  const int descriptor_;
  const std::string path_;
  const std::string destination_;
};

}  // namespace gcsflux::internal
