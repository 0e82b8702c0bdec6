#pragma once

#include <string>

#include "transfer/file_upload/file_upload.h"

namespace gcsflux::internal {

/// Sends the file over a new resumable session, whose state is saved before the first byte is sent.
Result<StoredFile> SendBySession(const FileUpload& upload);

/// Continues the session of a state of ObjectWriter::Suspend().
Result<StoredFile> ContinueSession(const FileUpload& upload, const std::string& state);

/// Cancels the session of a state that will not be continued, if it is one of this client's service. Takes 2 s at most.
void DropSession(const FileUpload& upload, const std::string& state);

}  // namespace gcsflux::internal
