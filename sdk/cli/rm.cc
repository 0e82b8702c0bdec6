#include <gflags/gflags.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/arguments/filter.h"
#include "cli/arguments/generation.h"
#include "cli/arguments/names.h"
#include "cli/arguments/wildcards.h"
#include "cli/commands.h"
#include "cli/parallel/run_adapting.h"
#include "cli/terminal/confirmation.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "gcsflux/client.h"
#include "gcsflux/listing.h"

DECLARE_bool(recursive);
DECLARE_bool(force);
DECLARE_bool(dry_run);

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

constexpr Change kRemoval{"delete", "deleted"};

Result<void> RemoveObjects(const Client& client, const std::string& bucket, const Objects& objects,
                           const Concurrency& concurrency) {
  const auto print_all = [&] {
    for (const ListedObject& object : objects) PrintChange(kRemoval, ToUri({bucket, object.name}));
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

// What a wildcard matches. So many objects are removed at a time, so that millions need little memory.
class MatchRemoval {
 public:
  static constexpr std::size_t kAtOnce = 100'000;

  MatchRemoval(const Client& client, const ObjectName& pattern, const Filter& filter, const Concurrency& concurrency)
      : client_(client), pattern_(pattern), filter_(filter), concurrency_(concurrency) {}

  Result<void> Run() {
    const auto take = [&](std::vector<ObjectMetadata> matches) -> Result<void> {
      for (ObjectMetadata& match : matches) {
        if (match.name != pattern_.name && !filter_.Takes(LastName(match.name), match.size, match.updated)) continue;
        found_.push_back({.name = std::move(match.name), .generation = match.generation});
      }
      return found_.size() < kAtOnce ? Result<void>() : RemoveFound("at least ");
    };
    if (auto done = FindMatches(client_, pattern_, take); !done) return done;
    return found_.empty() ? Result<void>() : RemoveFound("");
  }

 private:
  Result<void> RemoveFound(const std::string& at_least) {
    if (auto confirmed = Confirm(at_least); !confirmed) return confirmed;
    const Objects now = std::exchange(found_, {});
    return RemoveObjects(client_, pattern_.bucket, now, concurrency_);
  }

  // A pattern may match more than was meant: a user at a terminal is asked, and a script must say -f or -r.
  Result<void> Confirm(const std::string& at_least) {
    if (is_confirmed_ || FLAGS_force || FLAGS_dry_run || found_.front().name == pattern_.name) return {};
    const std::string what = ToUri(pattern_) + " matches " + at_least + Count(found_.size(), "object") + ", from " +
                             ToUri({pattern_.bucket, found_.front().name}) + " to " +
                             ToUri({pattern_.bucket, found_.back().name});
    if (CanAsk()) {
      is_confirmed_ = Ask(what + "; remove them?");
      return is_confirmed_ ? Result<void>() : Error{ErrorCode::kCancelled, "nothing was removed"};
    }
    if (FLAGS_recursive) return {};
    return Error{ErrorCode::kInvalidArgument, what + "; to remove them, add -f"};
  }

  const Client& client_;
  const ObjectName& pattern_;
  const Filter& filter_;
  const Concurrency& concurrency_;
  Objects found_;
  bool is_confirmed_ = false;
};

// One object, one of its generations, or a bucket.
Result<void> RemoveNamed(const Client& client, const NamedObject& named) {
  const auto& [name, generation] = named;
  Result<void> done;
  if (FLAGS_dry_run && name.name.empty()) {
    if (const auto found = client.GetBucket(name.bucket); !found) done = found.error();
  } else if (FLAGS_dry_run) {
    if (const auto found = client.GetObject(name, {.generation = generation}); !found) done = found.error();
  } else {
    done = name.name.empty() ? client.DeleteBucket(name.bucket) : client.DeleteObject(name, {.generation = generation});
  }
  if (done) PrintChange(kRemoval, UriOf(named));
  return done;
}

Result<void> RemoveOne(const Client& client, const ObjectName& name, const Filter& filter,
                       const Concurrency& concurrency) {
  auto objects = FLAGS_recursive ? FindAll(client, name, filter) : Result<Objects>(NothingThere(""));
  if (objects) return RemoveObjects(client, name.bucket, *objects, concurrency);
  if (FLAGS_recursive && objects.error().code != ErrorCode::kEmptyPrefix) return objects.error();
  if (HasWildcard(name.name)) return MatchRemoval(client, name, filter, concurrency).Run();
  if (FLAGS_recursive && !SplitGeneration(name)) return objects.error();
  const auto named = ResolveGeneration(client, name);
  if (!named) return named.error();
  return RemoveNamed(client, *named);
}

Result<void> Remove(const Client& client, const std::vector<std::string>& uris) {
  const auto concurrency = ConcurrencyFromFlags();
  if (!concurrency) return concurrency.error();
  const auto filter = Filter::FromFlags();
  if (!filter) return filter.error();
  const auto names = ParseAll(uris);
  if (!names) return names.error();
  for (const ObjectName& name : *names) {
    auto done = RemoveOne(client, name, *filter, *concurrency);
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
  const auto buckets = ParseAll(uris, ParseBucket);
  if (!buckets) return buckets.error();
  for (const ObjectName& bucket : *buckets) {
    if (FLAGS_force) {
      const auto objects = FindAll(client, bucket, {});
      if (!objects && objects.error().code != ErrorCode::kEmptyPrefix) return objects.error();
      if (objects) {
        if (auto removed = RemoveObjects(client, bucket.bucket, *objects, *concurrency); !removed) return removed;
      }
    }
    auto removed = RemoveNamed(client, {bucket});
    if (!removed && removed.error().code == ErrorCode::kBucketNotEmpty && !FLAGS_force) {
      return Error{ErrorCode::kBucketNotEmpty, ToUri(bucket) + " is not empty; to delete its objects too, add -f"};
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
    .arguments = "gs://BUCKET[/OBJECT[#GENERATION]]...",
    .summary = "Remove objects, or a bucket that is empty.",
    .details =
        "With --recursive, removes everything in the directory of that name (of a bucket: its objects, not itself).\n"
        "On a terminal, rm says how many objects a wildcard matches, and asks; -f answers yes. Elsewhere a wildcard\n"
        "needs -f or -r. NAME#GENERATION, as ls -a prints it, is one generation.\n",
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
