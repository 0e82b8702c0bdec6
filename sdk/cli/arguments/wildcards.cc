#include "cli/arguments/wildcards.h"

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
    const auto take = [&](std::vector<ObjectMetadata> matches) -> Result<void> {
      for (ObjectMetadata& match : matches) objects.push_back({std::move(match.bucket), std::move(match.name)});
      return {};
    };
    if (auto found = FindMatches(client, *object, take, stop); !found) return found.error();
  }
  return objects;
}

}  // namespace gcsflux::cli
