#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/tree.h"

namespace gcsflux::cli {

/// How a file or object that is there already is told to be the same. In every case its size must be.
enum class Compare {
  kChecksum,  ///< By CRC32C, a file's being computed.
  kModified,  ///< It is not older than the source.
};

struct CopyPlanOptions {
  bool is_to_local = false;    ///< Names become files.
  std::string prefix = {};     ///< Of the destination's objects, where names become objects.
  bool skips_same = true;      ///< What is there already and the same is not copied again.
  bool skips_present = false;  ///< Nor is what is there already, whatever it is.
  Compare compare = Compare::kChecksum;
  bool deletes_extra = false;  ///< What is there and not in the source goes.
};

/// What to do with one entry.
struct CopyStep {
  enum class Action {
    kCopy,
    kCopyIfDifferent,  ///< The size is the same, and the checksum of a file has to be computed first.
    kMakeDirectory,    ///< An empty object whose name ends in a slash, as some tools store for a directory.
    kSkip,             ///< It is there.
    kRefuse,           ///< Its name cannot be one there.
    kDelete,           ///< At the destination.
  };
  Action action = Action::kCopy;
  std::size_t entry = 0;                    ///< Of the sources; for kDelete, of what is there.
  std::string reason = {};                  ///< For kRefuse.
  std::optional<std::size_t> present = {};  ///< What is there under the source's name, of what is there.

  friend bool operator==(const CopyStep&, const CopyStep&) = default;
};

/// One step for each source, in their order, then the deletions. Both lists are in bytewise order of their names.
std::vector<CopyStep> PlanCopy(std::span<const TreeEntry> sources, std::span<const TreeEntry> present,
                               const CopyPlanOptions& options);

}  // namespace gcsflux::cli
