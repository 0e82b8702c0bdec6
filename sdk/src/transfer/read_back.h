#pragma once

#include <optional>
#include <string>

#include "client/client_core.h"
#include "gcsflux/upload.h"

namespace gcsflux::internal {

/// What an upload stores, to be recognised when it is read back.
struct SentObject {
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;
};

/// Whether `found` holds these bytes, and was given these attributes. A rival's identical object is no harm.
bool HasBytes(const ObjectMetadata& found, const SentObject& sent);
bool HasAttributes(const ObjectMetadata& found, const ObjectAttributes& attributes);

/// The live object of the name that was inserted; nothing where there is none. One attempt of an upload's.
Result<std::optional<ObjectMetadata>> ReadBack(const ClientCore& core, const ObjectName& object,
                                               const InsertObjectOptions& insert, const std::string& id,
                                               Attempts& attempts);

}  // namespace gcsflux::internal
