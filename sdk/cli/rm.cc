#include <gflags/gflags.h>

#include "cli/arguments/names.h"
#include "cli/arguments/wildcards.h"
#include "cli/commands.h"
#include "gcsflux/client.h"
#include "gcsflux/flags.h"
#include "gcsflux/listing.h"

DECLARE_bool(recursive);
DECLARE_bool(force);

namespace gcsflux::cli {
namespace {

// An object by its generation: one that another writer stores meanwhile must stay.
struct Doomed {
  ObjectName name = {};
  std::int64_t generation = 0;
};

// The object of the name itself, and those in it as a directory; for a bucket, all objects.
Result<std::vector<Doomed>> FindAll(const Client& client, const ObjectName& prefix) {
  auto listing = ListInParallel(client, prefix, {.skip_composites = false});
  if (!listing) return listing.error();
  std::vector<Doomed> found;
  const std::string directory = AsDirectory(prefix.name);
  for (ListedObject& object : listing->objects) {
    if (object.name != prefix.name && !object.name.starts_with(directory)) continue;
    found.push_back({{prefix.bucket, std::move(object.name)}, object.generation});
  }
  if (!found.empty()) return found;
  return NothingThere(ToUri(prefix));
}

// A pattern may match more than was meant, so that the user must confirm it. The same on a terminal and in a script.
Result<std::vector<Doomed>> FindConfirmed(const Client& client, const ObjectName& pattern) {
  auto matches = FindMatches(client, pattern);
  if (!matches) return matches.error();
  std::vector<Doomed> found;
  for (ObjectMetadata& match : *matches) found.push_back({{match.bucket, std::move(match.name)}, match.generation});
  if (FLAGS_force || FLAGS_recursive || found.front().name == pattern) return found;
  return Error{ErrorCode::kInvalidArgument, ToUri(pattern) + " matches " + std::to_string(found.size()) +
                                                " objects, from " + ToUri(found.front().name) + " to " +
                                                ToUri(found.back().name) + "; to remove them, add -f"};
}

Result<void> RemoveEach(const Client& client, const std::vector<Doomed>& objects, int max_concurrency) {
  const auto remove = [&](std::size_t index, const std::stop_token& stop) -> Result<void> {
    auto done = client.DeleteObject(objects[index].name, {.generation = objects[index].generation, .stop = stop});
    if (!done && done.error().code == ErrorCode::kNotFound) return {};
    return done;
  };
  return RunConcurrently(client, objects.size(), max_concurrency, remove);
}

Result<void> RemoveOne(const Client& client, const ObjectName& name, int max_concurrency) {
  const bool is_pattern = HasWildcard(name.name);
  if (!is_pattern && !FLAGS_recursive) {
    return name.name.empty() ? client.DeleteBucket(name.bucket) : client.DeleteObject(name);
  }
  auto objects = Result<std::vector<Doomed>>(std::vector<Doomed>());
  if (FLAGS_recursive) objects = FindAll(client, name);
  const bool is_literal = objects && !objects->empty();
  if (!is_literal && is_pattern) objects = FindConfirmed(client, name);
  if (!objects) return objects.error();
  return RemoveEach(client, *objects, max_concurrency);
}

Result<void> Remove(const Client& client, const std::vector<std::string>& uris) {
  const auto options = DownloaderOptionsFromFlags();
  if (!options) return options.error();
  for (const std::string& uri : uris) {
    const auto name = ParseUri(uri);
    if (!name) return name.error();
    auto done = RemoveOne(client, *name, options->max_concurrency);
    const bool is_gone =
        !done && (done.error().code == ErrorCode::kNotFound || done.error().code == ErrorCode::kEmptyPrefix);
    if (!done && !(FLAGS_force && is_gone)) return done;
  }
  return {};
}

constexpr CommandFlag kRmFlags[] = {
    {"recursive", "rR"}, {"force", "f", "What does not exist is no error, and wildcards need no confirmation."}};

}  // namespace

constinit const Command kRm = {
    .name = "rm",
    .arguments = "gs://BUCKET[/OBJECT]...",
    .summary = "Remove objects, or a bucket that is empty.",
    .details =
        "With --recursive, removes everything in the directory of that name (of a bucket: its objects, not itself).\n"
        "A wildcard needs -f or -r; without them, rm says how many objects it matches, and removes none.\n",
    .flags = kRmFlags,
    .run = Remove,
};

}  // namespace gcsflux::cli
