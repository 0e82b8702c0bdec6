#pragma once

#include <cstdint>

#include "client/client_core.h"
#include "client/stored_object.h"
#include "gcsflux/upload.h"

namespace gcsflux::internal {

/// An object under a temporary name that is to become `object`.
struct StagedObject {
  const ObjectName& object;
  const ObjectName& temporary;
  std::int64_t generation = 0;  ///< Of the temporary object.
  SentObject sent = {};
};

/// Makes it visible by a compose of this one source, under the precondition of the options' WriteMode; the temporary
/// object is deleted by the same request where `deletes_temporary`. A lost answer is resolved by reading back:
/// kOutcomeUnknown where another object is live, or none, and the temporary one is gone. kAborted where the temporary
/// object was gone before the first attempt.
Result<ObjectMetadata> CommitByCompose(const ClientCore& core, const StagedObject& staged, const UploadOptions& options,
                                       bool deletes_temporary);

}  // namespace gcsflux::internal
