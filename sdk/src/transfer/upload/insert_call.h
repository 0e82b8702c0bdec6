#pragma once

#include "base/object_name.h"
#include "client/operation_calls.h"
#include "gcsflux/upload.h"

namespace gcsflux::internal {

/// The insert that a WriteMode begins with.
inline InsertObjectOptions FirstAttempt(const UploadOptions& options) {
  InsertObjectOptions insert{.attributes = options.attributes,
                             .encryption_key = options.encryption_key,
                             .kms_key_name = options.kms_key_name,
                             .on_progress = options.on_progress,
                             .call = options.call,
                             .stop = options.stop};
  if (options.mode == WriteMode::kCreate) insert.preconditions.if_generation_match = 0;
  if (options.mode == WriteMode::kReplace) insert.preconditions.if_generation_match = options.generation;
  return insert;
}

/// kInvalidArgument where the object's name or an option cannot be right.
inline Result<void> CheckUpload(const ClientCore& core, const ObjectName& object, const UploadOptions& options) {
  if (auto checked = CheckObject(object); !checked) return checked;
  return CheckOptions(core, options);
}

/// An upload as a call.
inline Call InsertCall(const ObjectName& object, const UploadOptions& options) {
  return MakeUploadCall("objects.insert", object, options);
}

}  // namespace gcsflux::internal
