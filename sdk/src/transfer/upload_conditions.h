#pragma once

#include "gcsflux/upload.h"

namespace gcsflux::internal {

/// The insert that a WriteMode begins with.
inline InsertObjectOptions FirstAttempt(const UploadOptions& options) {
  InsertObjectOptions insert{.attributes = options.attributes, .call = options.call, .stop = options.stop};
  if (options.mode == WriteMode::kCreate) insert.preconditions.if_generation_match = 0;
  if (options.mode == WriteMode::kReplace) insert.preconditions.if_generation_match = options.generation;
  return insert;
}

}  // namespace gcsflux::internal
