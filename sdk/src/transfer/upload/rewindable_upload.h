#pragma once

#include "client/client_core.h"
#include "gcsflux/upload.h"
#include "transfer/upload/upload_source.h"

namespace gcsflux::internal {

/// Stores all of `source`: in one request where a chunk holds it, else over a session, which is started anew from the
/// source's beginning where it is lost. One call, with one history of attempts.
Result<ObjectMetadata> UploadRewindable(const ClientCore& core, const ObjectName& object, const UploadSource& source,
                                        const UploadOptions& options);

}  // namespace gcsflux::internal
