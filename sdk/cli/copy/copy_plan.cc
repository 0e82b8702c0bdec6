#include "cli/copy/copy_plan.h"

#include <chrono>
#include <set>
#include <string_view>
#include <unordered_set>

#include "cli/arguments/names.h"
#include "gcsflux/object.h"

namespace gcsflux::cli {
namespace {

using Action = CopyStep::Action;
using Directories = std::unordered_set<std::string_view>;

// The directories that files of these names need.
Directories DirectoriesOf(std::span<const TreeEntry> entries) {
  Directories directories;
  for (const TreeEntry& entry : entries) {
    std::string_view name = entry.name;
    for (auto slash = name.rfind('/'); slash != std::string_view::npos; slash = name.rfind('/')) {
      name = name.substr(0, slash);
      if (!directories.insert(name).second) break;  // Then those above it are there too.
    }
  }
  return directories;
}

CopyStep AsFile(const TreeEntry& source, const Directories& directories) {
  std::string_view name = source.name;
  if (name.empty()) return {Action::kCopy};  // The root itself, which the user has named.
  const bool is_marker = name.ends_with('/') && source.size == 0;
  if (is_marker) name.remove_suffix(1);
  if (auto why = WhyNoFileName(name); !why.empty()) return {Action::kRefuse, 0, "its name cannot be a file's: " + why};
  if (is_marker) return {Action::kMakeDirectory};
  if (directories.contains(name)) return {Action::kRefuse, 0, "other objects' names need a directory there"};
  return {Action::kCopy};
}

CopyStep AsObject(const TreeEntry& source, const std::string& prefix) {
  const auto checked = CheckObjectName(prefix + source.name);
  if (!checked) return {Action::kRefuse, 0, checked.error().message};
  return {Action::kCopy};
}

Action CompareWith(const TreeEntry& present, const TreeEntry& source, const CopyPlanOptions& options) {
  if (options.skips_present) return Action::kSkip;
  if (!options.skips_same || present.size != source.size) return Action::kCopy;
  if (options.compare == Compare::kModified) {
    // Without its time the source may be new.
    const bool has_time = source.modified != std::chrono::system_clock::time_point();
    return has_time && present.modified >= source.modified ? Action::kSkip : Action::kCopy;
  }
  if (present.crc32c && source.crc32c) return *present.crc32c == *source.crc32c ? Action::kSkip : Action::kCopy;
  // An object may have no checksum (under a customer's key); that of a file can still be computed.
  return present.crc32c || source.crc32c ? Action::kCopyIfDifferent : Action::kCopy;
}

// The name itself, or a directory above it.
bool IsLeftOut(std::string_view name, const std::set<std::string_view>& left_out) {
  if (left_out.empty() || left_out.contains(name)) return !left_out.empty();
  for (auto slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1)) {
    if (left_out.contains(name.substr(0, slash))) return true;
  }
  return false;
}

}  // namespace

std::vector<CopyStep> PlanCopy(std::span<const TreeEntry> sources, std::span<const TreeEntry> present,
                               const CopyPlanOptions& options) {
  const std::set<std::string_view> left_out(options.left_out.begin(), options.left_out.end());
  const Directories directories = options.is_to_local ? DirectoriesOf(sources) : Directories{};
  std::vector<CopyStep> steps;
  std::vector<CopyStep> deletions;
  steps.reserve(sources.size());
  std::size_t there = 0;
  const auto delete_before = [&](const std::string* name) {
    for (; there < present.size() && (name == nullptr || present[there].name < *name); ++there) {
      if (options.deletes_extra && !IsLeftOut(present[there].name, left_out)) {
        deletions.push_back({Action::kDelete, there});
      }
    }
  };
  for (std::size_t i = 0; i < sources.size(); ++i) {
    delete_before(&sources[i].name);
    CopyStep step = options.is_to_local ? AsFile(sources[i], directories) : AsObject(sources[i], options.prefix);
    step.entry = i;
    const bool is_there = there < present.size() && present[there].name == sources[i].name;
    if (is_there && step.action == Action::kCopy) {
      step.action = CompareWith(present[there], sources[i], options);
      step.present = there;
    }
    if (is_there) ++there;
    steps.push_back(std::move(step));
  }
  delete_before(nullptr);
  steps.insert(steps.end(), std::make_move_iterator(deletions.begin()), std::make_move_iterator(deletions.end()));
  return steps;
}

}  // namespace gcsflux::cli
