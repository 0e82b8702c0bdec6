#pragma once

#include <string>

#include "transfer/upload/source_upload.h"

namespace gcsflux::internal {

/// Sends the source over a new resumable session, whose state is saved before the first byte is sent.
Result<UploadReport> SendBySession(const SourceUpload& upload);

/// Continues the session of a state of StreamWriter::Suspend().
Result<UploadReport> ContinueSession(const SourceUpload& upload, const std::string& state);

/// Cancels the session of a state that will not be continued, if it is one of this client's service. Takes 2 s at most.
void DropSession(const SourceUpload& upload, const std::string& state);

}  // namespace gcsflux::internal
