#pragma once

#include <memory>
#include <string>

namespace gcsflux::cli {

/// Stores the state of one upload between two runs of the program: in a file of the user under $XDG_STATE_HOME/gcsflux
/// or ~/.local/state/gcsflux, because anyone with the state can write to the upload. The file is locked, so that only
/// one process uses a state. For one thread at a time.
class SuspendedUpload {
 public:
  /// The state of the upload with this name, which is that of its file. Null if there is no such directory, or another
  /// process has the lock: then uploads are not resumed.
  static std::unique_ptr<SuspendedUpload> Open(const std::string& name);
  /// If nothing is saved, removes the file, unless its name is another file's by now.
  ~SuspendedUpload();
  SuspendedUpload(const SuspendedUpload&) = delete;
  SuspendedUpload& operator=(const SuspendedUpload&) = delete;

  /// The saved state. Empty if there is none.
  [[nodiscard]] std::string Load() const;
  /// Replaces the state. An empty one removes it. Returns false if it could not be written.
  bool Save(const std::string& state) const;

 private:
  SuspendedUpload(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  const int descriptor_;
  const std::string path_;
};

}  // namespace gcsflux::cli
