#pragma once

#include <string_view>
#include <vector>

#include "gcsflux/operation_options.h"
#include "http/transport.h"

// Requests that make an object of others: https://cloud.google.com/storage/docs/json_api/v1/objects/compose, copy and
// rewrite.
namespace gcsflux::internal {

HttpRequest ComposeObjectsRequest(std::string_view endpoint, const std::vector<ComposeSource>& sources,
                                  const ObjectName& destination, const ComposeObjectsOptions& options);
HttpRequest CopyObjectRequest(std::string_view endpoint, const ObjectName& source, const ObjectName& destination,
                              const CopyObjectOptions& options);
/// One step, which goes on where the token says; empty begins.
HttpRequest RewriteObjectRequest(std::string_view endpoint, const ObjectName& source, const ObjectName& destination,
                                 const RewriteObjectOptions& options, std::string_view rewrite_token);

}  // namespace gcsflux::internal
