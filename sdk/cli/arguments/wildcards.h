#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/generation.h"
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

/// Takes some objects.
using ObjectSink = std::function<Result<void>(std::vector<NamedObject> objects)>;

/// Passes on the objects of ObjectsOf(), those of a wildcard page by page.
Result<void> ForObjectsOf(const Client& client, const std::vector<std::string>& uris, const ObjectSink& take,
                          const std::stop_token& stop = {});

/// The objects of the URIs, those that match in place of the URIs with wildcards. Names that end in a generation are
/// looked up (ResolveGeneration()), the others are not. Returns kInvalidArgument if a URI names a bucket.
Result<std::vector<NamedObject>> ObjectsOf(const Client& client, const std::vector<std::string>& uris,
                                           const std::stop_token& stop = {});

}  // namespace gcsflux::cli
