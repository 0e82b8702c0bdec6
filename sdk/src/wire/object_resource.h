#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "gcsflux/object.h"
#include "http/transport.h"

// What requests that make or show objects have in common.
namespace gcsflux::internal {

/// Everything that ObjectMetadata holds but md5Hash, which an emulator would have to compute at 0.9 GB/s.
inline constexpr std::string_view kObjectFields =
    "bucket,name,generation,metageneration,size,crc32c,etag,contentType,contentEncoding,contentDisposition,"
    "contentLanguage,cacheControl,storageClass,customTime,eventBasedHold,temporaryHold,kmsKeyName,customerEncryption,"
    "componentCount,timeCreated,updated,metadata";

/// The attributes as the JSON API has them; empty ones are left out.
nlohmann::json ToJson(const ObjectAttributes& attributes);

HttpRequest JsonRequest(Method method, std::string url, const nlohmann::json& body);

}  // namespace gcsflux::internal
