#include <gflags/gflags.h>

#include "cli/arguments/filter.h"
#include "cli/arguments/names.h"
#include "cli/arguments/wildcards.h"
#include "cli/commands.h"
#include "cli/parallel/run_adapting.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "gcsflux/client.h"
#include "gcsflux/listing.h"

DECLARE_bool(recursive);
DECLARE_bool(force);
DECLARE_bool(dry_run);
DECLARE_bool(json);

namespace gcsflux::cli {
namespace {

using Objects = std::vector<ListedObject>;

// The object of the name itself, and those in it as a directory; for a bucket, all objects.
Result<Objects> FindAll(const Client& client, const ObjectName& prefix, const Filter& filter) {
  auto listing = ListInParallel(client, prefix, {.skip_composites = false});
  if (!listing) return listing.error();
  const std::string directory = AsDirectory(prefix.name);
  std::erase_if(listing->objects, [&](const ListedObject& object) {
    return object.name != prefix.name && !object.name.starts_with(directory);
  });
  if (listing->objects.empty()) return NothingThere(ToUri(prefix));
  std::erase_if(listing->objects, [&](const ListedObject& object) {
    const std::string_view below = std::string_view(object.name).substr(std::min(directory.size(), object.name.size()));
    return !filter.Takes(object.name == prefix.name ? LastName(object.name) : below, object.size, object.updated);
  });
  return std::move(listing->objects);
}

// A pattern may match more than was meant, so that the user must confirm it. The same on a terminal and in a script.
Result<Objects> FindConfirmed(const Client& client, const ObjectName& pattern, const Filter& filter) {
  Objects found;
  const auto take = [&](std::vector<ObjectMetadata> matches) -> Result<void> {
    for (ObjectMetadata& match : matches) {
      if (match.name != pattern.name && !filter.Takes(LastName(match.name), match.size, match.updated)) continue;
      found.push_back({.name = std::move(match.name), .generation = match.generation});
    }
    return {};
  };
  if (auto done = FindMatches(client, pattern, take); !done) return done.error();
  if (FLAGS_force || FLAGS_recursive || FLAGS_dry_run || found.empty() || found.front().name == pattern.name)
    return found;
  return Error{ErrorCode::kInvalidArgument, ToUri(pattern) + " matches " + Count(found.size(), "object") + ", from " +
                                                ToUri({pattern.bucket, found.front().name}) + " to " +
                                                ToUri({pattern.bucket, found.back().name}) +
                                                "; to remove them, add -f"};
}

// What --dry_run prints for each, and --json for what was removed.
void PrintRemoval(const std::string& uri) {
  if (FLAGS_json)
    return PrintLine(JsonObject()
                         .Add(FLAGS_dry_run ? "action" : "done", FLAGS_dry_run ? "delete" : "deleted")
                         .Add("uri", uri)
                         .text());
  if (FLAGS_dry_run) PrintLine("delete " + uri);
}

Result<void> RemoveObjects(const Client& client, const std::string& bucket, const Objects& objects,
                           const Concurrency& concurrency) {
  const auto print_all = [&] {
    for (const ListedObject& object : objects) PrintRemoval(ToUri({bucket, object.name}));
  };
  if (FLAGS_dry_run) return print_all(), Result<void>();
  const auto remove = [&](std::size_t index, int, const std::stop_token& stop) -> Result<void> {
    const ListedObject& object = objects[index];
    // Names the generation: an object that another writer stores there meanwhile must stay.
    auto done = client.DeleteObject({bucket, object.name}, {.generation = object.generation, .stop = stop});
    if (!done && done.error().code == ErrorCode::kNotFound) return {};
    return done;
  };
  auto removed =
      RunAdapting(client, concurrency,
                  {.count = objects.size(), .needs = [](std::size_t) { return TaskNeeds(); }, .perform = remove});
  if (removed) print_all();
  return removed;
}

// One object, or a bucket.
Result<void> RemoveNamed(const Client& client, const ObjectName& name) {
  Result<void> done;
  if (FLAGS_dry_run && name.name.empty()) {
    if (const auto found = client.GetBucket(name.bucket); !found) done = found.error();
  } else if (FLAGS_dry_run) {
    if (const auto found = client.GetObject(name); !found) done = found.error();
  } else {
    done = name.name.empty() ? client.DeleteBucket(name.bucket) : client.DeleteObject(name);
  }
  if (done) PrintRemoval(ToUri(name));
  return done;
}

Result<void> RemoveOne(const Client& client, const ObjectName& name, const Filter& filter,
                       const Concurrency& concurrency) {
  const bool is_pattern = HasWildcard(name.name);
  if (!is_pattern && !FLAGS_recursive) return RemoveNamed(client, name);
  auto objects = FLAGS_recursive ? FindAll(client, name, filter) : Result<Objects>(NothingThere(""));
  if (!objects && is_pattern) objects = FindConfirmed(client, name, filter);
  if (!objects) return objects.error();
  return RemoveObjects(client, name.bucket, *objects, concurrency);
}

Result<void> Remove(const Client& client, const std::vector<std::string>& uris) {
  const auto concurrency = ConcurrencyFromFlags();
  if (!concurrency) return concurrency.error();
  const auto filter = Filter::FromFlags();
  if (!filter) return filter.error();
  for (const std::string& uri : uris) {
    const auto name = ParseUri(uri);
    if (!name) return name.error();
    auto done = RemoveOne(client, *name, *filter, *concurrency);
    const bool is_gone =
        !done && (done.error().code == ErrorCode::kNotFound || done.error().code == ErrorCode::kEmptyPrefix);
    if (!done && !(FLAGS_force && is_gone)) return done;
  }
  return {};
}

// The bucket's objects are deleted only if the user says so.
Result<void> RemoveBuckets(const Client& client, const std::vector<std::string>& uris) {
  const auto concurrency = ConcurrencyFromFlags();
  if (!concurrency) return concurrency.error();
  for (const std::string& uri : uris) {
    const auto bucket = ParseBucket(uri);
    if (!bucket) return bucket.error();
    if (FLAGS_force) {
      const auto objects = FindAll(client, *bucket, {});
      if (!objects && objects.error().code != ErrorCode::kEmptyPrefix) return objects.error();
      if (objects) {
        if (auto removed = RemoveObjects(client, bucket->bucket, *objects, *concurrency); !removed) return removed;
      }
    }
    auto removed = RemoveNamed(client, *bucket);
    if (!removed && removed.error().code == ErrorCode::kBucketNotEmpty && !FLAGS_force) {
      return Error{ErrorCode::kBucketNotEmpty, uri + " is not empty; to delete its objects too, add -f"};
    }
    if (!removed) return removed;
  }
  return {};
}

constexpr CommandFlag kRbFlags[] = {{"force", "f", "Delete the bucket's objects first."}, {"dry_run"}, {"json"}};

constexpr auto kRmFlags =
    WithFilterFlags({{"recursive", "rR"},
                     {"force", "f", "What does not exist is no error, and wildcards need no confirmation."},
                     {"dry_run"},
                     {"json"}});

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

constinit const Command kRb = {
    .name = "rb",
    .arguments = "gs://BUCKET...",
    .summary = "Remove buckets that are empty; with -f, their objects too.",
    .flags = kRbFlags,
    .run = RemoveBuckets,
};

}  // namespace gcsflux::cli
