#include "cli/copy/copy_sources.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "cli/arguments/names.h"
#include "cli/copy/local_tree.h"
#include "gcsflux/listing.h"

namespace gcsflux::cli {
namespace {

Result<std::vector<TreeEntry>> ListObjects(const Client& client, const Root& root, const std::stop_token& stop) {
  std::vector<TreeEntry> entries;
  const auto take = [&](const std::vector<ListedObject>& objects) -> Result<void> {
    for (const ListedObject& object : objects) {
      if (object.name == root.prefix) continue;  // Some tools store it for the directory itself.
      entries.push_back({.name = object.name.substr(root.prefix.size()),
                         .size = object.size,
                         .modified = object.updated,
                         .generation = object.generation,
                         .crc32c = object.crc32c});
    }
    return {};
  };
  const auto listed = ListInParallel(client, {root.bucket, root.prefix}, DeliveryOrder::kInOrder, take, {.stop = stop});
  if (!listed) return listed.error();
  return entries;
}

// True also if that cannot be found out: reading the directory then has the error.
bool IsThere(const std::string& directory) {
  struct stat status {};
  return ::stat(directory.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

// The one object that a source would become, if it exists.
Result<std::vector<TreeEntry>> FindObject(const Client& client, const Root& root, const TreeEntry& wanted,
                                          const std::stop_token& stop) {
  std::vector<TreeEntry> entries;
  const auto found = client.GetObject({root.bucket, root.prefix + wanted.name}, {.stop = stop});
  if (!found && found.error().code != ErrorCode::kNotFound) return found.error();
  if (found) entries.push_back({wanted.name, found->size, found->updated, found->generation, found->crc32c});
  return entries;
}

// Symbolic links and the like are replaced, wherever they lead.
std::vector<TreeEntry> FindFiles(const std::string& root, const std::vector<TreeEntry>& wanted) {
  std::vector<TreeEntry> found;
  for (const TreeEntry& entry : wanted) {
    struct stat status {};
    if (!WhyNoFileName(entry.name).empty() || ::lstat((root + entry.name).c_str(), &status) != 0) continue;
    if (!S_ISREG(status.st_mode)) continue;
    if (auto file = LookAtFile(root + entry.name, entry.name)) found.push_back(*std::move(file));
  }
  return found;
}

}  // namespace

Result<ListedTree> ListTree(const Client& client, const Root& root, TransferMonitor& monitor,
                            const std::stop_token& stop) {
  if (root.is_local()) return WalkDirectory(root.prefix, monitor, stop);
  auto objects = ListObjects(client, root, stop);
  if (!objects) return objects.error();
  return ListedTree{.entries = *std::move(objects)};
}

void FilterTree(const Filter& filter, ListedTree& tree) {
  std::erase_if(tree.entries, [&](TreeEntry& entry) {
    if (filter.Takes(entry.name, entry.size, entry.modified)) return false;
    tree.left_out.push_back(std::move(entry.name));
    return true;
  });
}

Result<void> LookAtDestination(const Client& client, CopyJob& job, bool all, TransferMonitor& monitor,
                               const std::stop_token& stop) {
  if (job.to.is_local() && (!all || !IsThere(job.to.prefix))) {
    job.present = FindFiles(job.to.prefix, job.sources);
    return {};
  }
  if (!all && job.sources.size() == 1) {
    auto present = FindObject(client, job.to, job.sources.front(), stop);
    if (!present) return present.error();
    job.present = *std::move(present);
  } else {
    auto present = ListTree(client, job.to, monitor, stop);
    if (!present) return present.error();
    job.present = std::move(present->entries);
  }
  // Objects for directories have no counterpart in a file system.
  if (job.from.is_local()) std::erase_if(job.present, [](const TreeEntry& e) { return e.name.ends_with('/'); });
  return {};
}

}  // namespace gcsflux::cli
