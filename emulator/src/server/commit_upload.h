#pragma once

#include "server/api_call.h"
#include "store/body.h"
#include "store/pending_object.h"

namespace gcsflux::emulator {

/// Stores what an upload has become: checks its hashes, those on this request too, then its preconditions. On an
/// error nothing is stored.
ApiResult<ObjectPtr> CommitUpload(const ApiCall& call, PendingObject pending, BodyPtr body);

}  // namespace gcsflux::emulator
