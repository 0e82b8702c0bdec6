#pragma once

#include <string>

#include "gcsflux/upload.h"
#include "transfer/upload/upload_source.h"

namespace gcsflux::internal {

/// A file, or bytes in memory, that become an object; all of it is borrowed.
struct SourceUpload {
  const Client& client;
  const ObjectName& object;
  const UploadSource& source;
  const UploadOptions& options;

  [[nodiscard]] bool is_resumable() const { return static_cast<bool>(options.save_state); }
  /// Saves the state together with the fingerprint of file and request: object, WriteMode, generation, attributes,
  /// keys.
  [[nodiscard]] Result<void> Save(const std::string& state) const;
  /// Nothing is left to continue.
  [[nodiscard]] Result<void> Forget() const;
};

/// A state that was saved, without its fingerprint.
struct SavedState {
  std::string text = {};
  bool is_of_this_upload = false;  ///< Of the same file and the same request.
};
SavedState StateOf(const SourceUpload& upload);

/// True for errors after which a later call can continue the upload, also if it is unknown whether it was stored.
bool KeepsUpload(const Error& error);

}  // namespace gcsflux::internal
