#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"

// * ? [...] and {a,b} in the names of objects; * and ? stop at a slash, ** does not. The service matches them
// (matchGlob).
namespace gcsflux::cli {

/// Whether the text has one of these. As an object's name it may still mean itself.
bool HasWildcard(std::string_view text);

/// Takes some matches.
using MatchSink = std::function<Result<void>(std::vector<ObjectMetadata> matches)>;

/// Finds the object that has just this name, or all objects that the name matches, in bytewise order, and passes them
/// on page by page, so that millions need little memory here. Returns kEmptyPrefix if there are none, and what `take`
/// returns as an error. With `versions`, all generations.
Result<void> FindMatches(const Client& client, const ObjectName& name, const MatchSink& take,
                         const std::stop_token& stop = {}, bool versions = false);

/// The objects of the URIs, those that match in place of the URIs with wildcards. The others are not looked up. Returns
/// kInvalidArgument if a URI names a bucket.
Result<std::vector<ObjectName>> ObjectsOf(const Client& client, const std::vector<std::string>& uris,
                                          const std::stop_token& stop = {});

}  // namespace gcsflux::cli
