#include "cli/arguments/wildcards.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/arguments/names.h"

namespace gcsflux::cli {
namespace {

constexpr std::string_view kWildcards = "*?[{";

}  // namespace

bool HasWildcard(std::string_view text) { return text.find_first_of(kWildcards) != text.npos; }

Result<void> FindMatches(const Client& client, const ObjectName& name, const MatchSink& take,
                         const std::stop_token& stop, bool versions) {
  auto itself = client.GetObject(name, {.stop = stop});
  if (itself) return take({*std::move(itself)});
  if (itself.error().code != ErrorCode::kNotFound) return itself.error();
  const ObjectName prefix{name.bucket, name.name.substr(0, name.name.find_first_of(kWildcards))};
  ListOptions options{.match_glob = name.name, .versions = versions, .stop = stop};
  bool has_found = false;
  do {
    auto page = client.ListObjects(prefix, options);
    if (!page) return page.error();
    if (!page->next_page_token.empty() && page->next_page_token == options.page_token) {
      return Error{ErrorCode::kBadResponse, "LIST " + ToUri(prefix) + ": the service names a page as its own next one"};
    }
    options.page_token = std::move(page->next_page_token);
    if (page->objects.empty()) continue;  // Between matches there may be any number of others.
    has_found = true;
    if (auto taken = take(std::move(page->objects)); !taken) return taken;
  } while (!options.page_token.empty());
  if (has_found) return {};
  return Error{ErrorCode::kEmptyPrefix,
               "no object matches " + ToUri(name) + " (* stops at a slash, and ** does not; docs/command_line.md)"};
}

Result<void> ForObjectsOf(const Client& client, const std::vector<std::string>& uris, const ObjectSink& take,
                          const std::stop_token& stop) {
  for (const std::string& uri : uris) {
    auto object = ParseObject(uri);
    if (!object) return object.error();
    if (!HasWildcard(object->name)) {
      auto named = ResolveGeneration(client, *object, stop);
      if (!named) return named.error();
      if (auto taken = take({*std::move(named)}); !taken) return taken;
      continue;
    }
    const auto take_matches = [&](std::vector<ObjectMetadata> matches) {
      std::vector<NamedObject> objects;
      objects.reserve(matches.size());
      for (ObjectMetadata& match : matches) objects.push_back({{std::move(match.bucket), std::move(match.name)}});
      return take(std::move(objects));
    };
    if (auto found = FindMatches(client, *object, take_matches, stop); !found) return found;
  }
  return {};
}

Result<std::vector<NamedObject>> ObjectsOf(const Client& client, const std::vector<std::string>& uris,
                                           const std::stop_token& stop) {
  std::vector<NamedObject> all;
  const auto take = [&](std::vector<NamedObject> objects) -> Result<void> {
    std::move(objects.begin(), objects.end(), std::back_inserter(all));
    return {};
  };
  if (auto found = ForObjectsOf(client, uris, take, stop); !found) return found.error();
  return all;
}

}  // namespace gcsflux::cli
