#include <gflags/gflags.h>
#include <unistd.h>

#include <atomic>
#include <iostream>

#include "cli/arguments/filter.h"
#include "cli/arguments/names.h"
#include "cli/arguments/wildcards.h"
#include "cli/commands.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/status_line.h"
#include "gcsflux/listing.h"

DECLARE_bool(recursive);
DECLARE_bool(human);
DECLARE_bool(json);
DEFINE_bool(long, false, "Size in bytes, time of the last change and generation before each name.");
DEFINE_bool(count, false, "The number of objects under each prefix and their bytes, instead of their names.");
DEFINE_bool(all_versions, false, "Noncurrent generations too: NAME#GENERATION, the oldest first.");
DEFINE_bool(as_found, false, "With -r: names as they arrive, unsorted; this needs little memory.");
DEFINE_int32(list_max_concurrency, 48, "Most calls at the same time to list everything under a prefix.");

namespace gcsflux::cli {
namespace {

ListedObject ListedOf(ObjectMetadata object) {
  return {.name = std::move(object.name),
          .size = object.size,
          .generation = object.generation,
          .crc32c = object.crc32c,
          .storage_class = InternedName(object.storage_class),
          .updated = object.updated};
}

// The results of a listing as text. It writes a page at a time, because a stream is slow with many small chunks.
class Printer {
 public:
  // Names are filtered from the last slash of the prefix on.
  Printer(const ObjectName& prefix, const Filter& filter)
      : bucket_(prefix.bucket), below_(prefix.name.size() - LastName(prefix.name).size()), filter_(filter) {}

  void Add(const ListedObject& object) {
    is_empty_ = false;
    const std::string_view name = std::string_view(object.name).substr(std::min(below_, object.name.size()));
    if (!filter_.Takes(name, object.size, object.updated)) return;
    ++objects_;
    bytes_ += object.size;
    if (FLAGS_count) return;
    if (FLAGS_json) return AddJson(object);
    if (FLAGS_long) {
      const std::string size = SizeText(object.size);
      text_.append(size.size() < kSizeWidth ? kSizeWidth - size.size() : 0, ' ').append(size);
      text_.append("  ").append(Iso8601(object.updated)).append("  ");
      text_.append(std::to_string(object.generation)).append("  ");
    }
    AddLine(FLAGS_all_versions ? object.name + "#" + std::to_string(object.generation) : object.name);
  }

  void AddDirectory(const std::string& name) {
    if (!FLAGS_json) return AddLine(name);
    text_.append(Shown(JsonObject().Add("directory", ToUri({bucket_, name})).text())).append("\n");
  }

  void AddCount(const std::string& uri) {
    if (FLAGS_json) {
      const JsonObject line = JsonObject().Add("prefix", uri).Add("objects", objects_).Add("bytes", bytes_);
      text_.append(line.text()).append("\n");
    } else {
      text_.append(std::to_string(objects_)).append(" objects  ").append(SizeText(bytes_));
      text_.append(FLAGS_human ? "  " : " bytes  ").append(Shown(uri)).append("\n");
    }
  }

  Result<void> Flush() {
    std::cout << text_;
    text_.clear();
    if (!std::cout) return Error{ErrorCode::kLocalIo, "standard output could not be written"};
    return {};
  }

  [[nodiscard]] bool is_empty() const { return is_empty_; }

 private:
  static constexpr std::size_t kSizeWidth = 12;

  void AddLine(const std::string& name) {
    text_.append("gs://").append(bucket_).append("/").append(Shown(name)).append("\n");
  }

  void AddJson(const ListedObject& object) {
    JsonObject line;
    line.Add("uri", ToUri({bucket_, object.name})).Add("size", object.size).Add("generation", object.generation);
    if (object.crc32c) line.Add("crc32c", Hex(*object.crc32c));
    line.Add("storageClass", object.storage_class.name()).Add("updated", Iso8601(object.updated));
    text_.append(Shown(line.text())).append("\n");
  }

  const std::string bucket_;
  const std::size_t below_;
  const Filter& filter_;
  bool is_empty_ = true;  // No object was found, as if there were no filter.
  std::string text_;
  std::uint64_t objects_ = 0;
  std::uint64_t bytes_ = 0;
};

Result<void> ListBuckets(const Client& client) {
  const auto buckets = client.ListBuckets();
  if (!buckets) return buckets.error();
  for (const BucketMetadata& bucket : *buckets) {
    const std::string uri = ToUri({bucket.name});
    PrintLine(FLAGS_json ? JsonObject().Add("bucket", uri).text() : uri);
  }
  return {};
}

bool IsDeep() { return FLAGS_recursive || FLAGS_count; }

Result<void> ListLevel(const Client& client, const ObjectName& prefix, Printer& printer) {
  auto listing = ListPrefix(client, prefix, {.delimiter = IsDeep() ? "" : "/", .versions = FLAGS_all_versions});
  if (!listing) return listing.error();
  if (listing->objects.empty() && listing->prefixes.empty() && !prefix.name.empty()) return NothingThere(ToUri(prefix));
  for (const std::string& directory : listing->prefixes) printer.AddDirectory(directory);
  for (ObjectMetadata& object : listing->objects) printer.Add(ListedOf(std::move(object)));
  return {};
}

// Prints while it lists: a reader of the output need not wait for its end.
Result<void> ListAll(const Client& client, const ObjectName& prefix, Printer& printer) {
  std::atomic<std::uint64_t> found = 0;
  // On a terminal, printed names show the progress themselves.
  StatusLine status(
      [&](double seconds, std::size_t columns) { return ProgressLine("listing", found, seconds, columns); },
      FLAGS_count || ::isatty(STDOUT_FILENO) == 0);
  const auto print = [&](const std::vector<ListedObject>& objects) -> Result<void> {
    for (const ListedObject& object : objects) printer.Add(object);
    found += objects.size();
    return printer.Flush();
  };
  // The same set as rm -r removes: the object of this name, and what is in the directory of this name.
  if (!prefix.name.empty() && !prefix.name.ends_with('/')) {
    auto itself = client.GetObject(prefix);
    if (!itself && itself.error().code != ErrorCode::kNotFound) return itself.error();
    if (itself) printer.Add(ListedOf(*std::move(itself)));
  }
  const ObjectName directory{prefix.bucket, AsDirectory(prefix.name)};
  const bool is_any_order = FLAGS_as_found || FLAGS_count;
  const auto all =
      ListInParallel(client, directory, is_any_order ? DeliveryOrder::kAsCompleted : DeliveryOrder::kInOrder, print,
                     {.max_concurrency = FLAGS_list_max_concurrency, .skip_composites = false});
  if (!all) return all.error();
  status.End();
  if (status.has_terminal()) {
    status.Say("gcsflux: " + ListedLine(all->object_count, std::chrono::duration<double>(all->elapsed).count()) +
               (all->warning.empty() ? "" : "; " + all->warning));
  }
  if (printer.is_empty() && !prefix.name.empty()) return NothingThere(ToUri(prefix));
  return {};
}

Result<void> ListOne(const Client& client, const std::string& uri, const Filter& filter) {
  const auto prefix = ParseUri(uri);
  if (!prefix) return prefix.error();
  Printer printer(*prefix, filter);
  // The parallel listing lists only live generations.
  const bool is_parallel = IsDeep() && !FLAGS_all_versions;
  auto listed = is_parallel ? ListAll(client, *prefix, printer) : ListLevel(client, *prefix, printer);
  const bool has_nothing = !listed && listed.error().code == ErrorCode::kEmptyPrefix;
  if (!listed && !has_nothing) return listed;
  if (has_nothing && HasWildcard(prefix->name)) {
    const auto print = [&](std::vector<ObjectMetadata> matches) {
      for (ObjectMetadata& match : matches) printer.Add(ListedOf(std::move(match)));
      return printer.Flush();
    };
    if (auto found = FindMatches(client, *prefix, print, {}, FLAGS_all_versions); !found) return found;
  } else if (has_nothing && !FLAGS_count) {
    return NothingThere(uri);
  }
  if (FLAGS_count) printer.AddCount(uri);
  return printer.Flush();
}

Result<void> List(const Client& client, const std::vector<std::string>& uris) {
  if (uris.empty()) return ListBuckets(client);
  const auto filter = Filter::FromFlags();
  if (!filter) return filter.error();
  for (const std::string& uri : uris) {
    if (auto listed = ListOne(client, uri, *filter); !listed) return listed;
  }
  return {};
}

constexpr auto kLsFlags = WithFilterFlags({{"long", "l"},
                                           {"human", "h"},
                                           {"recursive", "rR"},
                                           {"all_versions", "a"},
                                           {"json"},
                                           {"count"},
                                           {"as_found"},
                                           {"list_max_concurrency"}});

}  // namespace

constinit const Command kLs = {
    .name = "ls",
    .arguments = "[gs://BUCKET[/PREFIX]...]",
    .summary = "List objects under a prefix; without one, the project's buckets.",
    .details =
        "Lists one directory level, or all objects that a wildcard matches. --recursive lists all levels by many "
        "calls\n"
        "at the same time, and prints meanwhile. --count counts all levels.\n",
    .flags = kLsFlags,
    .min_arguments = 0,
    .run = List,
};

}  // namespace gcsflux::cli
