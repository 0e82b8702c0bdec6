#pragma once

#include "json_api/api_call.h"
#include "store/bytes/body.h"
#include "store/uploads/pending_object.h"

namespace gcsflux::emulator {

/// Whether the MD5 of this request's upload will be asked for: for its answer, or because the client expects one.
bool NeedsMd5(const ApiCall& call, const PendingObject& pending);

/// Stores the content of a complete upload. Checks its hashes, also those on this request, then its preconditions. If
/// that fails, nothing is stored.
ApiResult<ObjectPtr> CommitUpload(const ApiCall& call, PendingObject pending, BodyPtr body);

}  // namespace gcsflux::emulator
