#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "gcsflux/object.h"
#include "gcsflux/result.h"
#include "http/transport.h"

// What requests that make, change or show objects have in common.
namespace gcsflux::internal {

/// The mask that asks for `asked` and what every ObjectMetadata holds. Where nothing is asked, for all that it holds
/// but the MD5, which an emulator would have to compute at 0.9 GB/s.
std::string ObjectFields(std::string_view asked);

/// kInvalidArgument where JSON or a header could not hold them: text that is no UTF-8, a content type of two lines.
Result<void> CheckAttributes(const ObjectAttributes& attributes);
Result<void> CheckChanges(const ObjectChanges& changes);

/// As the JSON API has them: empty attributes are left out, removed ones are null.
nlohmann::json ToJson(const ObjectAttributes& attributes);
nlohmann::json ToJson(const ObjectChanges& changes);

HttpRequest JsonRequest(Method method, std::string url, const nlohmann::json& body);

}  // namespace gcsflux::internal
