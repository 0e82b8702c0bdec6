#pragma once

#include <string>

#include "gcsflux/parallel_writer.h"
#include "transfer/upload/upload_source.h"

namespace gcsflux::internal {

/// A file that becomes an object; all of it is borrowed.
struct FileUpload {
  const Client& client;
  const ObjectName& object;
  const UploadSource& file;
  const ResumableFileOptions& options;

  [[nodiscard]] const UploadOptions& upload() const { return options.writing.upload; }
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
SavedState StateOf(const FileUpload& upload);

/// True for errors after which a later call can continue the upload, also if it is unknown whether it was stored.
bool KeepsUpload(const Error& error);

}  // namespace gcsflux::internal
