#pragma once

#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// A gs:// URI that names an object; kInvalidArgument where it names a bucket only.
Result<ObjectName> ParseObject(const std::string& uri);

/// One that names a bucket; kInvalidArgument where it names an object.
Result<ObjectName> ParseBucket(const std::string& uri);

/// The commands cp (the last argument is the destination) and cat.
Result<void> Copy(const Client& client, const std::vector<std::string>& arguments);
Result<void> Concatenate(const Client& client, const std::vector<std::string>& uris);

}  // namespace gcsflux::cli
