#pragma once

#include <algorithm>
#include <limits>

#include "base/object_name.h"
#include "client/check_options.h"
#include "client/make_call.h"
#include "gcsflux/upload.h"
#include "wire/resumable_upload.h"

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

/// The size of chunks that comes next to the one asked for.
inline std::size_t WholeQuanta(std::size_t bytes) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / kUploadQuantum;
  const std::size_t quanta = bytes / kUploadQuantum + (bytes % kUploadQuantum != 0 ? 1 : 0);
  return std::clamp<std::size_t>(quanta, 1, kMost) * kUploadQuantum;
}

}  // namespace gcsflux::internal
