#pragma once

#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// A gs:// URI of an object. Returns kInvalidArgument if it names only a bucket.
Result<ObjectName> ParseObject(const std::string& uri);

/// A gs:// URI of a bucket. Returns kInvalidArgument if it names an object.
Result<ObjectName> ParseBucket(const std::string& uri);

/// The command cp: the last argument is the destination.
Result<void> Copy(const Client& client, const std::vector<std::string>& arguments);

}  // namespace gcsflux::cli
