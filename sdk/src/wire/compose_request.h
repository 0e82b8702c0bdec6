#pragma once

#include <string_view>
#include <vector>

#include "gcsflux/operation_options.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// https://cloud.google.com/storage/docs/json_api/v1/objects/compose
HttpRequest ComposeObjectsRequest(std::string_view endpoint, const std::vector<ComposeSource>& sources,
                                  const ObjectName& destination, const ComposeObjectsOptions& options);

}  // namespace gcsflux::internal
