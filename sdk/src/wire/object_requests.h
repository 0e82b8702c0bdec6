#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gcsflux/operation_options.h"
#include "http/transport.h"

// Requests on objects as values: https://cloud.google.com/storage/docs/json_api/v1/objects
namespace gcsflux::internal {

HttpRequest GetObjectRequest(std::string_view endpoint, const ObjectName& object, const ObjectOptions& options);
/// `skip` bytes of the range were delivered before, of `generation`.
HttpRequest ReadObjectRequest(std::string_view endpoint, const ObjectName& object, const ReadObjectOptions& options,
                              std::uint64_t skip, std::optional<std::int64_t> generation);
/// With `item_fields` of each object, if they are not empty, instead of those in `options`.
HttpRequest ListObjectsRequest(std::string_view endpoint, const ObjectName& prefix, const ListOptions& options,
                               std::string_view item_fields = {});
HttpRequest PatchObjectRequest(std::string_view endpoint, const ObjectName& object, const ObjectChanges& changes,
                               const ObjectOptions& options);
HttpRequest UpdateObjectRequest(std::string_view endpoint, const ObjectName& object, const ObjectAttributes& attributes,
                                const ObjectOptions& options);
HttpRequest DeleteObjectRequest(std::string_view endpoint, const ObjectName& object, const ObjectOptions& options);

}  // namespace gcsflux::internal
