#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/listing/glob.h"
#include "store/objects/object.h"
#include "store/objects/object_set.h"
#include "store/objects/object_source.h"

namespace gcsflux::emulator {

/// The last thing that a page showed. The next page begins after it.
struct ListPosition {
  bool is_prefix = false;  ///< After everything that starts with `text`, else after the name `text`.
  std::string text = {};
  std::optional<std::int64_t> generation = {};  ///< After this generation of the name, not after all of them.

  friend bool operator==(const ListPosition&, const ListPosition&) = default;
};

struct ListQuery {
  std::string prefix = {};
  std::string delimiter = {};                ///< Empty: nothing is folded.
  std::string start_offset = {};             ///< Inclusive.
  std::string end_offset = {};               ///< Exclusive; empty is no bound.
  std::size_t max_results = 1000;            ///< Objects and prefixes together.
  bool has_versions = false;                 ///< Noncurrent generations too.
  std::optional<Glob> glob = {};             ///< Objects and prefixes that match it, and no others: see ListMatching().
  bool includes_trailing_delimiter = false;  ///< An object whose name is a prefix is listed beside that prefix.
  bool has_folders = false;                  ///< Folders are among the prefixes, although they may have no objects.
  std::optional<ListPosition> after = {};
};

struct ListPage {
  std::vector<ObjectPtr> objects = {};  ///< Without folders.
  std::vector<std::string> prefixes = {};
  std::optional<ListPosition> next = {};  ///< Set if there is more to list.
};

/// One page of the stored objects, the computed ones and, with versions, the noncurrent ones, merged in their order.
/// The latter two may be null. For a glob it takes all names that begin as the matches do. Costs O(page), however much
/// is folded or skipped.
ListPage ListObjects(const ObjectSet& stored, const ListQuery& query, const ObjectSource* computed = nullptr,
                     const GenerationSet* noncurrent = nullptr);

}  // namespace gcsflux::emulator
