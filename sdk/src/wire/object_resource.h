#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "gcsflux/object.h"
#include "gcsflux/result.h"
#include "http/transport.h"

// Common parts of requests that make, change or show objects.
namespace gcsflux::internal {

/// The field mask for `asked` and the fields that every ObjectMetadata has. If `asked` is empty, all fields except the
/// MD5, which an emulator would have to compute at 0.9 GB/s.
std::string ObjectFields(std::string_view asked);

/// Returns kInvalidArgument if JSON or a header cannot hold the attributes: text that is not UTF-8, a content type of
/// two lines.
Result<void> CheckAttributes(const ObjectAttributes& attributes);
Result<void> CheckChanges(const ObjectChanges& changes);

/// In the form of the JSON API: empty attributes are left out, removed ones are null.
nlohmann::json ToJson(const ObjectAttributes& attributes);
nlohmann::json ToJson(const ObjectChanges& changes);

HttpRequest JsonRequest(Method method, std::string url, const nlohmann::json& body);

}  // namespace gcsflux::internal
