#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/arguments/tree.h"

namespace gcsflux::cli {

/// When a file or object at the destination counts as the same. Its size must always be the same.
enum class Compare {
  kChecksum,  ///< The CRC32C is the same; for a file it is computed.
  kModified,  ///< It is not older than the source.
};

struct CopyPlanOptions {
  bool is_to_local = false;    ///< Names become files.
  std::string prefix = {};     ///< Of the destination's objects, if names become objects.
  bool skips_same = true;      ///< Does not copy what is the same at the destination.
  bool skips_present = false;  ///< Does not copy what exists at the destination, even if it differs.
  Compare compare = Compare::kChecksum;
  bool deletes_extra = false;  ///< Deletes what only the destination has.
  /// Names that the source has and that are not copied. At the destination they, and what is below them, are not
  /// deleted.
  std::vector<std::string> left_out = {};
};

/// The action for one entry.
struct CopyStep {
  enum class Action {
    kCopy,
    kCopyIfDifferent,  ///< The size is the same; the checksum of a file must be computed first.
    kMakeDirectory,    ///< For an empty object whose name ends in a slash, which some tools store for a directory.
    kSkip,             ///< It exists.
    kRefuse,           ///< The destination cannot have this name.
    kDelete,           ///< At the destination.
  };
  Action action = Action::kCopy;
  std::size_t entry = 0;                    ///< Index in the sources; for kDelete, in the present entries.
  std::string reason = {};                  ///< For kRefuse.
  std::optional<std::size_t> present = {};  ///< The index of the present entry with the source's name.

  friend bool operator==(const CopyStep&, const CopyStep&) = default;
};

/// One step for each source in order, then the deletions. Both lists are in bytewise order of their names.
std::vector<CopyStep> PlanCopy(std::span<const TreeEntry> sources, std::span<const TreeEntry> present,
                               const CopyPlanOptions& options);

}  // namespace gcsflux::cli
