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

/// The last thing that a page showed; the next page begins behind it.
struct ListPosition {
  bool is_prefix = false;  ///< Behind everything that starts with `text`, else behind the name `text`.
  std::string text = {};
  std::optional<std::int64_t> generation = {};  ///< Behind no more of the name than this generation.

  friend bool operator==(const ListPosition&, const ListPosition&) = default;
};

struct ListQuery {
  std::string prefix = {};
  std::string delimiter = {};                ///< Empty: nothing is folded.
  std::string start_offset = {};             ///< Inclusive.
  std::string end_offset = {};               ///< Exclusive; empty is no bound.
  std::size_t max_results = 1000;            ///< Objects and prefixes together.
  bool has_versions = false;                 ///< Noncurrent generations too.
  std::optional<Glob> glob = {};             ///< Objects and prefixes that match it, no others: see ListMatching().
  bool includes_trailing_delimiter = false;  ///< An object of a prefix's very name is listed beside the prefix.
  std::optional<ListPosition> after = {};
};

struct ListPage {
  std::vector<ObjectPtr> objects = {};
  std::vector<std::string> prefixes = {};
  std::optional<ListPosition> next = {};  ///< Set where there is more to list.
};

/// One page of the stored objects, the computed ones, and with versions the noncurrent ones, merged in their order; the
/// latter two may be null. Of a glob it takes only what all its matches begin with. Costs O(page), whatever is folded
/// or skipped.
ListPage ListObjects(const ObjectSet& stored, const ListQuery& query, const ObjectSource* computed = nullptr,
                     const GenerationSet* noncurrent = nullptr);

}  // namespace gcsflux::emulator
