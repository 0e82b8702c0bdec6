#pragma once

#include "base/object_name.h"
#include "client/operation_calls.h"
#include "gcsflux/upload.h"

namespace gcsflux::internal {

/// The options of the first insert of an upload, with the precondition of its WriteMode.
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

/// Returns kInvalidArgument if the object's name or an option is invalid.
inline Result<void> CheckUpload(const ClientCore& core, const ObjectName& object, const UploadOptions& options) {
  if (auto checked = CheckObject(object); !checked) return checked;
  if (options.mode == WriteMode::kReplace && !options.generation) {
    return Error{ErrorCode::kInvalidArgument, ToUri(object) + ": WriteMode::kReplace needs UploadOptions::generation"};
  }
  return CheckOptions(core, options);
}

/// The call for an upload.
inline Call InsertCall(const ObjectName& object, const UploadOptions& options) {
  return MakeUploadCall("objects.insert", object, options);
}

}  // namespace gcsflux::internal
