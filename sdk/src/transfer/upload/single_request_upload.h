#pragma once

#include <span>

#include "client/client_core.h"
#include "gcsflux/upload.h"

namespace gcsflux::internal {

/// One object in one request. An attempt whose acknowledgement may have been lost is resolved by reading the object
/// back before anything is sent again.
Result<ObjectMetadata> UploadInOneRequest(const ClientCore& core, const ObjectName& object,
                                          std::span<const std::byte> data, const UploadOptions& options);

}  // namespace gcsflux::internal
