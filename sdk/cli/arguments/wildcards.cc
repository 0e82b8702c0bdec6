#include "cli/arguments/wildcards.h"

#include <utility>

#include "cli/arguments/names.h"
#include "gcsflux/listing.h"

namespace gcsflux::cli {
namespace {

constexpr std::string_view kWildcards = "*?[{";

}  // namespace

bool HasWildcard(std::string_view text) { return text.find_first_of(kWildcards) != text.npos; }

Result<std::vector<ObjectMetadata>> FindMatches(const Client& client, const ObjectName& name,
                                                const std::stop_token& stop, bool versions) {
  auto itself = client.GetObject(name, {.stop = stop});
  if (itself) return std::vector{*std::move(itself)};
  if (itself.error().code != ErrorCode::kNotFound) return itself.error();
  const std::string prefix = name.name.substr(0, name.name.find_first_of(kWildcards));
  auto listing =
      ListPrefix(client, {name.bucket, prefix}, {.match_glob = name.name, .versions = versions, .stop = stop});
  if (!listing) return listing.error();
  if (!listing->objects.empty()) return std::move(listing->objects);
  return Error{ErrorCode::kEmptyPrefix,
               "no object matches " + ToUri(name) + " (* stops at a slash, and ** does not; docs/command_line.md)"};
}

Result<std::vector<ObjectName>> ObjectsOf(const Client& client, const std::vector<std::string>& uris,
                                          const std::stop_token& stop) {
  std::vector<ObjectName> objects;
  for (const std::string& uri : uris) {
    auto object = ParseObject(uri);
    if (!object) return object.error();
    if (!HasWildcard(object->name)) {
      objects.push_back(*std::move(object));
      continue;
    }
    auto matches = FindMatches(client, *object, stop);
    if (!matches) return matches.error();
    for (ObjectMetadata& match : *matches) objects.push_back({std::move(match.bucket), std::move(match.name)});
  }
  return objects;
}

}  // namespace gcsflux::cli
