#pragma once

#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// A gs:// URI that names an object; kInvalidArgument where it names a bucket only.
Result<ObjectName> ParseObject(const std::string& uri);

/// One that names a bucket; kInvalidArgument where it names an object.
Result<ObjectName> ParseBucket(const std::string& uri);

/// The command cp: the last argument is the destination.
Result<void> Copy(const Client& client, const std::vector<std::string>& arguments);

}  // namespace gcsflux::cli
