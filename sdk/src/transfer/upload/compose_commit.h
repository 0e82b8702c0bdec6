#pragma once

#include <cstdint>

#include "client/client_core.h"
#include "client/stored_object.h"
#include "gcsflux/upload.h"

namespace gcsflux::internal {

/// A temporary object that will become `object`.
struct StagedObject {
  const ObjectName& object;
  const ObjectName& temporary;
  std::int64_t generation = 0;  ///< Of the temporary object.
  SentObject sent = {};
};

/// Makes it visible by a compose of this one source, under the precondition of the options' WriteMode. If
/// `deletes_temporary`, the same request deletes the temporary object. If an answer is lost, the object is read back.
/// If another object or none is live, and the temporary one is gone, returns kOutcomeUnknown. If the temporary object
/// was gone before the first attempt, returns kAborted.
Result<ObjectMetadata> CommitByCompose(const ClientCore& core, const StagedObject& staged, const UploadOptions& options,
                                       bool deletes_temporary);

}  // namespace gcsflux::internal
