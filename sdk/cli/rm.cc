#include <gflags/gflags.h>

#include "cli/commands.h"
#include "gcsflux/client.h"
#include "gcsflux/flags.h"
#include "gcsflux/listing.h"
#include "transfer/threads/run_on_threads.h"

DECLARE_bool(recursive);

namespace gcsflux::cli {
namespace {

// The object of the name itself, and those in it as a directory; for a bucket, all objects.
Result<std::vector<ListedObject>> FindAll(const Client& client, const ObjectName& prefix) {
  auto listing = ListInParallel(client, prefix, {.skip_composites = false});
  if (!listing) return listing.error();
  const bool is_directory = prefix.name.empty() || prefix.name.ends_with('/');
  if (!is_directory) {
    std::erase_if(listing->objects, [&](const ListedObject& object) {
      return object.name != prefix.name && !object.name.starts_with(prefix.name + "/");
    });
  }
  if (!listing->objects.empty()) return std::move(listing->objects);
  return Error{ErrorCode::kEmptyPrefix, "nothing is stored under " + ToUri(prefix)};
}

Result<void> RemoveAll(const Client& client, const ObjectName& prefix, int max_concurrency) {
  const auto objects = FindAll(client, prefix);
  if (!objects) return objects.error();
  const auto remove = [&](std::size_t index, const std::stop_token& stop) -> Result<void> {
    const ListedObject& object = (*objects)[index];
    // Names the generation: an object that another writer stores there meanwhile must stay.
    auto done = client.DeleteObject({prefix.bucket, object.name}, {.generation = object.generation, .stop = stop});
    if (!done && done.error().code == ErrorCode::kNotFound) return {};
    return done;
  };
  return internal::RunOnThreads(client, objects->size(), max_concurrency, remove);
}

Result<void> Remove(const Client& client, const std::vector<std::string>& uris) {
  const auto options = DownloaderOptionsFromFlags();
  if (!options) return options.error();
  for (const std::string& uri : uris) {
    const auto name = ParseUri(uri);
    if (!name) return name.error();
    auto done = FLAGS_recursive      ? RemoveAll(client, *name, options->max_concurrency)
                : name->name.empty() ? client.DeleteBucket(name->bucket)
                                     : client.DeleteObject(*name);
    if (!done) return done;
  }
  return {};
}

}  // namespace

constinit const Command kRm = {
    .name = "rm",
    .arguments = "gs://BUCKET[/OBJECT]...",
    .summary = "Remove objects, or a bucket that is empty.",
    .details =
        "With --recursive, removes everything in the directory of that name (of a bucket: its objects, not itself).\n",
    .run = Remove,
};

}  // namespace gcsflux::cli
