#pragma once

#include "json_api/api_call.h"
#include "store/bytes/body.h"
#include "store/uploads/pending_object.h"

namespace gcsflux::emulator {

/// Whether the MD5 of what this request uploads will be asked for: for its answer, or because the client says it.
bool NeedsMd5(const ApiCall& call, const PendingObject& pending);

/// Stores what an upload has become: checks its hashes, those on this request too, then its preconditions. On an
/// error nothing is stored.
ApiResult<ObjectPtr> CommitUpload(const ApiCall& call, PendingObject pending, BodyPtr body);

}  // namespace gcsflux::emulator
