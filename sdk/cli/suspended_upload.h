#pragma once

#include <memory>
#include <optional>
#include <string>

namespace gcsflux::cli {

/// Where the state of one upload is kept between two runs of the program: a file of the user's own under
/// $XDG_STATE_HOME/gcsflux or ~/.local/state/gcsflux, since whoever has a state can write to the upload. Locked, so
/// that a state has one user. One thread at a time.
class SuspendedUpload {
 public:
  /// Of the upload that `key` names, whatever that is made of. Null where there is no such directory, or another
  /// process has it: uploads then are not gone on with.
  static std::unique_ptr<SuspendedUpload> Open(const std::string& key);
  ~SuspendedUpload();  ///< Where nothing is saved, nothing stays behind.
  SuspendedUpload(const SuspendedUpload&) = delete;
  SuspendedUpload& operator=(const SuspendedUpload&) = delete;

  /// What was saved of a source that was the same: `source`, of one line, says which it is.
  [[nodiscard]] std::optional<std::string> Load(const std::string& source) const;
  /// False where it could not be written.
  bool Save(const std::string& source, const std::string& state) const;
  void Forget() const;

 private:
  SuspendedUpload(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  const int descriptor_;
  const std::string path_;
};

}  // namespace gcsflux::cli
