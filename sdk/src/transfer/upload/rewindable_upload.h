#pragma once

#include "client/client_core.h"
#include "gcsflux/upload.h"
#include "transfer/upload/upload_source.h"

namespace gcsflux::internal {

/// Stores all of `source`: in one request if a chunk holds it, otherwise over a session. If the session is lost, it
/// starts another one from the source's beginning. One call, with one history of attempts.
Result<ObjectMetadata> UploadRewindable(const ClientCore& core, const ObjectName& object, const UploadSource& source,
                                        const UploadOptions& options);

}  // namespace gcsflux::internal
