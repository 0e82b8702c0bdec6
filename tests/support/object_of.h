#pragma once

#include <utility>

#include "gcsflux/upload.h"

namespace gcsflux::testing {

/// The object that UploadFile() stored.
inline Result<ObjectMetadata> ObjectOf(Result<UploadReport> stored) {
  if (!stored) return stored.error();
  return std::move(stored->object);
}

}  // namespace gcsflux::testing
