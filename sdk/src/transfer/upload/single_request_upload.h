#pragma once

#include <span>

#include "client/client_core.h"
#include "gcsflux/upload.h"

namespace gcsflux::internal {

/// Stores one object in one request. If the answer to an attempt may be lost, the object is read back before anything
/// is sent again.
Result<ObjectMetadata> UploadInOneRequest(const ClientCore& core, const ObjectName& object,
                                          std::span<const std::byte> data, const UploadOptions& options);

}  // namespace gcsflux::internal
