#include <gflags/gflags.h>

#include <iostream>
#include <map>

#include "cli/arguments/filter.h"
#include "cli/arguments/names.h"
#include "cli/arguments/wildcards.h"
#include "cli/commands.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"
#include "gcsflux/listing.h"

DECLARE_bool(human);
DECLARE_bool(json);
DECLARE_int32(list_max_concurrency);
DEFINE_bool(summarize, false, "Only the sum for each argument.");

namespace gcsflux::cli {
namespace {

void PrintSize(std::uint64_t bytes, const std::string& uri) {
  if (FLAGS_json) return PrintLine(JsonObject().Add("uri", uri).Add("bytes", bytes).text());
  constexpr std::size_t kWidth = 12;
  const std::string size = SizeText(bytes);
  std::cout << std::string(size.size() < kWidth ? kWidth - size.size() : 0, ' ') << size << "  " << Shown(uri) << '\n';
}

// Of what a wildcard matches, without its directories.
Result<void> SumUpMatches(const Client& client, const ObjectName& pattern, const Filter& filter) {
  std::uint64_t bytes = 0;
  const auto add = [&](const std::vector<ObjectMetadata>& matches) -> Result<void> {
    for (const ObjectMetadata& match : matches) {
      if (filter.Takes(LastName(match.name), match.size, match.updated)) bytes += match.size;
    }
    return {};
  };
  if (auto found = FindMatches(client, pattern, add); !found) return found;
  PrintSize(bytes, ToUri(pattern));
  return {};
}

Result<void> SumUp(const Client& client, const std::string& uri, const Filter& filter) {
  auto directory = ParseUri(uri);
  if (!directory) return directory.error();
  const ObjectName given = *directory;
  directory->name = AsDirectory(directory->name);
  std::map<std::string, std::uint64_t> directories;
  std::uint64_t bytes = 0;
  const auto add = [&](const std::vector<ListedObject>& objects) -> Result<void> {
    for (const ListedObject& object : objects) {
      const auto below = std::string_view(object.name).substr(directory->name.size());
      if (!filter.Takes(below, object.size, object.updated)) continue;
      bytes += object.size;
      const auto slash = object.name.find('/', directory->name.size());
      if (!FLAGS_summarize && slash != std::string::npos) directories[object.name.substr(0, slash + 1)] += object.size;
    }
    return {};
  };
  const auto listed = ListInParallel(client, *directory, DeliveryOrder::kAsCompleted, add,
                                     {.max_concurrency = FLAGS_list_max_concurrency, .skip_composites = false});
  if (!listed) return listed.error();
  if (listed->object_count == 0 && HasWildcard(given.name)) return SumUpMatches(client, given, filter);
  if (listed->object_count == 0 && !given.name.empty()) return NothingThere(uri);
  for (const auto& [name, size] : directories) PrintSize(size, ToUri({directory->bucket, name}));
  PrintSize(bytes, ToUri(*directory));
  return {};
}

Result<void> DiskUsage(const Client& client, const std::vector<std::string>& uris) {
  const auto filter = Filter::FromFlags();
  if (!filter) return filter.error();
  for (const std::string& uri : uris) {
    if (auto summed = SumUp(client, uri, *filter); !summed) return summed;
  }
  return {};
}

constexpr auto kDuFlags = WithFilterFlags({{"summarize", "s"}, {"human", "h"}, {"json"}, {"list_max_concurrency"}});

}  // namespace

constinit const Command kDu = {
    .name = "du",
    .arguments = "gs://BUCKET[/PREFIX]...",
    .summary = "Sum up the bytes of the objects in directories.",
    .details =
        "Shows each directory in the given one with everything below it, and then the sum. Of a wildcard: the sum of\n"
        "the objects that match.\n",
    .flags = kDuFlags,
    .run = DiskUsage,
};

}  // namespace gcsflux::cli
