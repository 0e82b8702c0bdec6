#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux {

struct ListOptions {
  std::string delimiter = {};  ///< "/" lists one directory level.
  std::string fields = {};     ///< As ListObjectsOptions::fields.
  CallOptions call = {};
  std::stop_token stop = {};
};

struct ObjectListing {
  std::vector<ObjectMetadata> objects = {};  ///< In bytewise order of their names.
  std::vector<std::string> prefixes = {};    ///< Directories; only with a delimiter.
};

/// Everything under a prefix, all pages of it. An error ends it as that error: never a part as success.
///
/// Nothing there is an empty listing; no such bucket is kNotFound.
Result<ObjectListing> ListPrefix(const Client& client, const ObjectName& prefix, const ListOptions& options = {});

}  // namespace gcsflux
