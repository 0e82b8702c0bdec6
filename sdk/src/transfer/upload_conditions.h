#pragma once

#include "gcsflux/upload.h"

namespace gcsflux::internal {

/// The insert that a WriteMode begins with.
inline InsertObjectOptions FirstAttempt(const UploadOptions& options) {
  InsertObjectOptions insert{.content_type = options.content_type, .metadata = options.metadata, .stop = options.stop};
  if (options.mode == WriteMode::kCreate) insert.if_generation_match = 0;
  if (options.mode == WriteMode::kReplace) insert.if_generation_match = options.generation;
  return insert;
}

}  // namespace gcsflux::internal
