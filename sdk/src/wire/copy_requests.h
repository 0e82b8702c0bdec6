#pragma once

#include <string_view>
#include <vector>

#include "gcsflux/operation_options.h"
#include "http/transport.h"

// Requests that make an object from other objects: https://cloud.google.com/storage/docs/json_api/v1/objects/compose,
// copy and rewrite.
namespace gcsflux::internal {

HttpRequest ComposeObjectsRequest(std::string_view endpoint, const std::vector<ComposeSource>& sources,
                                  const ObjectName& destination, const ComposeObjectsOptions& options);
HttpRequest CopyObjectRequest(std::string_view endpoint, const ObjectName& source, const ObjectName& destination,
                              const CopyObjectOptions& options);
/// One step. It continues from the token; an empty token begins.
/// Takes the conditions of the options only.
HttpRequest MoveObjectRequest(std::string_view endpoint, const ObjectName& source, const ObjectName& destination,
                              const CopyObjectOptions& options);

HttpRequest RewriteObjectRequest(std::string_view endpoint, const ObjectName& source, const ObjectName& destination,
                                 const CopyObjectOptions& options, std::string_view rewrite_token);

}  // namespace gcsflux::internal
