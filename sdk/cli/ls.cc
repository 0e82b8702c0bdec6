#include <gflags/gflags.h>
#include <unistd.h>

#include <atomic>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>

#include "base/messages/json_text.h"
#include "cli/commands.h"
#include "cli/copy/copy_flags.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/status_line.h"
#include "gcsflux/listing.h"

DECLARE_bool(recursive);
DEFINE_bool(long, false, "ls: print size in bytes, time of the last change and generation before each name.");
DEFINE_bool(json, false,
            "ls, checkpoint: print one JSON object per line; ls shows size, generation, checksum, storage "
            "class and time.");
DEFINE_bool(count, false, "ls: print the number of objects under each prefix and their bytes, instead of their names.");
DEFINE_bool(as_found, false,
            "ls --recursive: print names in the order in which they arrive, unsorted; this needs little "
            "memory.");
DEFINE_int32(list_max_concurrency, 48, "ls: most calls at the same time to list everything under a prefix.");

namespace gcsflux::cli {
namespace {

using internal::JsonText;

// The results of a listing as text. It writes a page at a time, because a stream is slow with many small pieces.
class Printer {
 public:
  explicit Printer(std::string bucket) : bucket_(std::move(bucket)) {}

  void Add(const ListedObject& object) {
    ++objects_;
    bytes_ += object.size;
    if (FLAGS_count) return;
    if (FLAGS_json) return AddJson(object);
    if (FLAGS_long) {
      const std::string size = std::to_string(object.size);
      text_.append(size.size() < kSizeWidth ? kSizeWidth - size.size() : 0, ' ').append(size);
      text_.append("  ").append(Iso8601(object.updated)).append("  ");
      text_.append(std::to_string(object.generation)).append("  ");
    }
    AddLine(object.name);
  }

  void AddDirectory(const std::string& name) {
    if (FLAGS_json) {
      text_.append("{\"directory\":").append(Shown(JsonText(ToUri({bucket_, name})))).append("}\n");
    } else {
      AddLine(name);
    }
  }

  void AddCount(const std::string& uri) {
    if (FLAGS_json) {
      text_.append("{\"prefix\":").append(JsonText(uri)).append(",\"objects\":").append(std::to_string(objects_));
      text_.append(",\"bytes\":").append(std::to_string(bytes_)).append("}\n");
    } else {
      text_.append(std::to_string(objects_)).append(" objects  ").append(std::to_string(bytes_)).append(" bytes  ");
      text_.append(Shown(uri)).append("\n");
    }
  }

  Result<void> Flush() {
    std::cout << text_;
    text_.clear();
    if (!std::cout) return Error{ErrorCode::kLocalIo, "standard output could not be written"};
    return {};
  }

  [[nodiscard]] std::uint64_t objects() const { return objects_; }

 private:
  static constexpr std::size_t kSizeWidth = 12;

  void AddLine(const std::string& name) {
    text_.append("gs://").append(bucket_).append("/").append(Shown(name)).append("\n");
  }

  void AddJson(const ListedObject& object) {
    text_.append("{\"uri\":").append(Shown(JsonText(ToUri({bucket_, object.name}))));
    text_.append(",\"size\":").append(std::to_string(object.size));
    text_.append(",\"generation\":").append(std::to_string(object.generation));
    if (object.crc32c) {
      std::ostringstream hex;
      hex << std::hex << std::setfill('0') << std::setw(8) << *object.crc32c;
      text_.append(",\"crc32c\":\"").append(hex.str()).append("\"");
    }
    text_.append(",\"storageClass\":").append(Shown(JsonText(object.storage_class.name())));
    text_.append(",\"updated\":\"").append(Iso8601(object.updated)).append("\"}\n");
  }

  const std::string bucket_;
  std::string text_;
  std::uint64_t objects_ = 0;
  std::uint64_t bytes_ = 0;
};

Result<void> ListBuckets(const Client& client) {
  const auto buckets = client.ListBuckets();
  if (!buckets) return buckets.error();
  for (const BucketMetadata& bucket : *buckets) {
    const std::string uri = ToUri({bucket.name});
    std::cout << Shown(FLAGS_json ? "{\"bucket\":" + JsonText(uri) + "}" : uri) << '\n';
  }
  return {};
}

Result<void> ListLevel(const Client& client, const ObjectName& prefix, const std::string& uri) {
  auto listing = ListPrefix(client, prefix, {.delimiter = "/"});
  if (!listing) return listing.error();
  if (listing->objects.empty() && listing->prefixes.empty() && !prefix.name.empty()) return NothingThere(uri);
  Printer printer(prefix.bucket);
  for (const std::string& directory : listing->prefixes) printer.AddDirectory(directory);
  for (ObjectMetadata& object : listing->objects) {
    printer.Add({.name = std::move(object.name),
                 .size = object.size,
                 .generation = object.generation,
                 .crc32c = object.crc32c,
                 .storage_class = InternedName(object.storage_class),
                 .updated = object.updated});
  }
  return printer.Flush();
}

// The progress of a listing. On a terminal, printed names show it themselves.
class ListingStatus {
 public:
  ListingStatus() {
    if (!FLAGS_count && ::isatty(STDOUT_FILENO) == 1) return;
    line_.emplace(
        [this](double seconds, std::size_t columns) { return ProgressLine("listing", objects_, seconds, columns); });
  }

  void Add(std::size_t objects) { objects_ += objects; }

  void Finish(const ListingReport& report) {
    if (!line_) return;
    line_->End();
    if (!line_->has_terminal()) return;
    line_->Say("gcsflux: " + ListedLine(report.objects, std::chrono::duration<double>(report.elapsed).count()) +
               (report.warning.empty() ? "" : "; " + report.warning));
  }

 private:
  std::atomic<std::uint64_t> objects_ = 0;
  std::optional<StatusLine> line_;
};

// Prints while it lists: a reader of the output need not wait for its end.
Result<void> ListAll(const Client& client, const ObjectName& prefix, const std::string& uri) {
  Printer printer(prefix.bucket);
  ListingStatus status;
  const auto print = [&](const std::vector<ListedObject>& objects) -> Result<void> {
    for (const ListedObject& object : objects) printer.Add(object);
    status.Add(objects.size());
    return printer.Flush();
  };
  const bool is_any_order = FLAGS_as_found || FLAGS_count;
  const auto report =
      ListInParallel(client, prefix, is_any_order ? DeliveryOrder::kAsCompleted : DeliveryOrder::kInOrder, print,
                     {.max_concurrency = FLAGS_list_max_concurrency, .skip_composites = false});
  if (!report) return report.error();
  status.Finish(*report);
  if (FLAGS_count) {
    printer.AddCount(uri);
    return printer.Flush();
  }
  if (printer.objects() == 0 && !prefix.name.empty()) return NothingThere(uri);
  return {};
}

Result<void> List(const Client& client, const std::vector<std::string>& uris) {
  if (uris.empty()) return ListBuckets(client);
  for (const std::string& uri : uris) {
    const auto prefix = ParseUri(uri);
    if (!prefix) return prefix.error();
    const bool is_deep = FLAGS_recursive || FLAGS_count;
    auto listed = is_deep ? ListAll(client, *prefix, uri) : ListLevel(client, *prefix, uri);
    if (!listed) return listed;
  }
  return {};
}

}  // namespace

constinit const Command kLs = {
    .name = "ls",
    .arguments = "[gs://BUCKET[/PREFIX]...]",
    .summary = "List objects under a prefix; without one, the project's buckets.",
    .details =
        "Lists one directory level. --recursive lists all levels by many calls at the same time, and prints\n"
        "meanwhile.\n"
        "--long adds size, time and generation. --json prints one JSON object per line. --count counts all levels.\n",
    .min_arguments = 0,
    .run = List,
};

}  // namespace gcsflux::cli
