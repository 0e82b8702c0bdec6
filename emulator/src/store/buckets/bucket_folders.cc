// The folders of a hierarchical namespace: https://cloud.google.com/storage/docs/folders-overview

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "store/buckets/bucket.h"
#include "store/buckets/bucket_commit.h"

namespace gcsflux::emulator {
namespace {

tl::unexpected<Failure> NoFolders() {
  return Fail(FailureKind::kInvalid, "The bucket does not have a hierarchical namespace.");
}

tl::unexpected<Failure> NoSuchFolder(std::string_view name) {
  return Fail(FailureKind::kNotFound, "The folder " + std::string(name) + " does not exist.");
}

// The folder that contains it, or "" if that is the bucket.
std::string_view ParentOf(std::string_view name) {
  const std::size_t slash = name.size() < 2 ? std::string_view::npos : name.rfind('/', name.size() - 2);
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash + 1);
}

ObjectPtr Renamed(const Object& object, std::size_t from_size, const std::string& to) {
  auto renamed = std::make_shared<Object>(object);
  renamed->name = to + object.name.substr(from_size);
  return renamed;
}

}  // namespace

bool HasHierarchicalNamespace(const BucketInfo& info) {
  const auto found = info.settings.find("hierarchicalNamespace");
  return found != info.settings.end() && nlohmann::json::parse(found->second).value("enabled", false);
}

Outcome<ObjectPtr> Bucket::InsertFolder(const std::string& name, bool makes_parents) {
  if (!has_folders_) return NoFolders();
  const NameLocks::Hold hold = HoldAll();
  std::unique_lock lock(mutex_);
  if (is_closed_) return Fail(FailureKind::kNotFound, "The specified bucket does not exist.");
  if (FindFolderLocked(name) != nullptr) return Fail(FailureKind::kConflict, "The folder " + name + " already exists.");
  const std::string_view parent = ParentOf(name);
  if (!makes_parents && !parent.empty() && FindFolderLocked(parent) == nullptr) return NoSuchFolder(parent);
  const std::vector<ObjectPtr> made = MissingFoldersLocked(name, clock_());
  const auto written = CommitUnlocked(lock, [&] {
    Change change;
    for (const ObjectPtr& folder : made) change.push_back(log_.PutFolder(*folder));
    return change;
  });
  if (!written) return tl::unexpected(written.error());
  folders_.insert(made.begin(), made.end());
  return made.back();
}

Outcome<ObjectPtr> Bucket::GetFolder(const FolderSelector& selector) const {
  const std::shared_lock lock(mutex_);
  return SelectFolderLocked(selector);
}

ListPage Bucket::ListFolders(const FolderQuery& query) const {
  ListPage page;
  const std::shared_lock lock(mutex_);
  const std::string& lowest = std::max(query.prefix, query.start_offset);
  const bool goes_on = query.after && *query.after >= lowest;
  auto at = goes_on ? folders_.upper_bound(GenerationKey{*query.after}) : folders_.lower_bound(GenerationKey{lowest});
  for (; at != folders_.end() && (*at)->name.starts_with(query.prefix); ++at) {
    const std::string& name = (*at)->name;
    if (!query.end_offset.empty() && name >= query.end_offset) break;
    const bool is_direct = name.find('/', query.prefix.size()) == name.size() - 1;
    if (!query.is_flat && !is_direct) continue;
    if (page.objects.size() == query.max_results) {
      page.next = ListPosition{.text = page.objects.back()->name};
      break;
    }
    page.objects.push_back(*at);
  }
  return page;
}

Outcome<void> Bucket::DeleteFolder(const FolderSelector& selector) {
  const NameLocks::Hold hold = HoldAll();
  std::unique_lock lock(mutex_);
  const Outcome<ObjectPtr> folder = SelectFolderLocked(selector);
  if (!folder) return tl::unexpected(folder.error());
  if (FoldersWithinLocked(selector.name).size() > 1 || !ObjectsWithinLocked(selector.name).empty()) {
    return Fail(FailureKind::kConflict, "The folder you tried to delete is not empty.");
  }
  auto written = CommitUnlocked(lock, [&] { return Change{log_.EraseFolder(**folder)}; });
  if (!written) return written;
  folders_.erase(*folder);
  return {};
}

Outcome<void> Bucket::DeleteFolderTree(const FolderSelector& selector) {
  const NameLocks::Hold hold = HoldAll();
  std::vector<Retired> deleted;  // destroyed after the lock is released
  std::unique_lock lock(mutex_);
  const Outcome<ObjectPtr> folder = SelectFolderLocked(selector);
  if (!folder) return tl::unexpected(folder.error());
  const Time now = clock_();
  for (const ObjectPtr& object : ObjectsWithinLocked(selector.name)) {
    if (auto allowed = CheckMayDeleteLocked(*object); !allowed) return allowed;
    deleted.push_back(RetireLocked(object, now));
  }
  const std::vector<ObjectPtr> folders = FoldersWithinLocked(selector.name);
  auto written = CommitUnlocked(lock, [&] {
    Change change;
    for (const Retired& each : deleted) change.push_back(RecordOf(each));
    for (const ObjectPtr& each : folders) change.push_back(log_.EraseFolder(*each));
    return change;
  });
  if (!written) return written;
  for (const Retired& each : deleted) {
    EraseLocked(each.before);
    if (each.kept != nullptr) KeepLocked(each.kept);
  }
  for (const ObjectPtr& each : folders) folders_.erase(each);
  return {};
}

Outcome<ObjectPtr> Bucket::RenameFolder(const FolderSelector& selector, const std::string& to) {
  const NameLocks::Hold hold = HoldAll();
  std::unique_lock lock(mutex_);
  const Outcome<ObjectPtr> folder = SelectFolderLocked(selector);
  if (!folder) return folder;
  if (to.starts_with(selector.name)) {
    return Fail(FailureKind::kInvalid,
                "The folder " + selector.name + " cannot be renamed to " + to + ", which is the same or within it.");
  }
  if (FindFolderLocked(to) != nullptr) return Fail(FailureKind::kConflict, "The folder " + to + " already exists.");
  if (const std::string_view parent = ParentOf(to); !parent.empty() && FindFolderLocked(parent) == nullptr) {
    return NoSuchFolder(parent);
  }
  std::vector<std::pair<ObjectPtr, ObjectPtr>> objects;
  for (const ObjectPtr& object : ObjectsWithinLocked(selector.name)) {
    if (auto allowed = CheckMayDeleteLocked(*object); !allowed) return tl::unexpected(allowed.error());
    objects.emplace_back(object, Renamed(*object, selector.name.size(), to));
  }
  std::vector<std::pair<ObjectPtr, ObjectPtr>> folders;
  for (const ObjectPtr& each : FoldersWithinLocked(selector.name)) {
    folders.emplace_back(each, Renamed(*each, selector.name.size(), to));
  }
  const auto written = CommitUnlocked(lock, [&] {
    Change change;
    for (const auto& [before, after] : objects) {
      change.push_back(log_.Erase(*before));
      change.push_back(log_.Put(*after, /*is_live=*/true));
    }
    for (const auto& [before, after] : folders) {
      change.push_back(log_.EraseFolder(*before));
      change.push_back(log_.PutFolder(*after));
    }
    return change;
  });
  if (!written) return tl::unexpected(written.error());
  for (const auto& [before, after] : objects) {
    EraseLocked(before);
    StoreLocked({}, after);
  }
  for (const auto& [before, after] : folders) {
    folders_.erase(before);
    folders_.insert(after);
  }
  return FindFolderLocked(to);
}

void Bucket::AdoptFolder(const ObjectPtr& folder) {
  const std::scoped_lock lock(mutex_);
  folders_.insert(folder);
}

// The folders of a name that do not exist, the outermost first.
std::vector<ObjectPtr> Bucket::MissingFoldersLocked(std::string_view name, Time now) const {
  std::vector<ObjectPtr> missing;
  if (!has_folders_) return missing;
  for (std::size_t slash = 0; (slash = name.find('/', slash)) != std::string_view::npos; ++slash) {
    const std::string_view folder = name.substr(0, slash + 1);
    if (FindFolderLocked(folder) != nullptr) continue;
    missing.push_back(FolderOf(std::string(folder), {.time_created = now, .updated = now}));
  }
  return missing;
}

ObjectPtr Bucket::FindFolderLocked(std::string_view name) const {
  const auto found = folders_.find(GenerationKey{name});
  return found != folders_.end() ? *found : nullptr;
}

Outcome<ObjectPtr> Bucket::SelectFolderLocked(const FolderSelector& selector) const {
  if (!has_folders_) return NoFolders();
  ObjectPtr found = FindFolderLocked(selector.name);
  if (found == nullptr) return NoSuchFolder(selector.name);
  if (auto held = CheckPreconditions(selector.preconditions, found.get()); !held) return tl::unexpected(held.error());
  return found;
}

std::vector<ObjectPtr> Bucket::ObjectsWithinLocked(std::string_view folder) const {
  std::vector<ObjectPtr> within;
  for (auto at = objects_.LowerBound(folder); at != objects_.end() && (*at)->name.starts_with(folder); ++at) {
    within.push_back(*at);
  }
  return within;
}

// The folder itself is the first of them.
std::vector<ObjectPtr> Bucket::FoldersWithinLocked(std::string_view folder) const {
  std::vector<ObjectPtr> within;
  for (auto at = folders_.lower_bound(GenerationKey{folder}); at != folders_.end() && (*at)->name.starts_with(folder);
       ++at) {
    within.push_back(*at);
  }
  return within;
}

}  // namespace gcsflux::emulator
