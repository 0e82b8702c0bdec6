#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/object.h"

namespace gcsflux::emulator {

/// Bytewise order of names, which is GCS's; looks up by name alone.
struct ByName {
  using is_transparent = void;
  bool operator()(const ObjectPtr& a, const ObjectPtr& b) const { return a->name < b->name; }
  bool operator()(const ObjectPtr& a, std::string_view b) const { return a->name < b; }
  bool operator()(std::string_view a, const ObjectPtr& b) const { return a < b->name; }
};

/// A bucket's live objects.
using ObjectSet = std::set<ObjectPtr, ByName>;

/// The last thing that a page showed; the next page begins behind it.
struct ListPosition {
  bool is_prefix = false;  ///< Behind everything that starts with `text`, else behind the name `text`.
  std::string text = {};

  friend bool operator==(const ListPosition&, const ListPosition&) = default;
};

struct ListQuery {
  std::string prefix = {};
  std::string delimiter = {};      ///< Empty: nothing is folded.
  std::string start_offset = {};   ///< Inclusive.
  std::string end_offset = {};     ///< Exclusive; empty is no bound.
  std::size_t max_results = 1000;  ///< Objects and prefixes together.
  std::optional<ListPosition> after = {};
};

struct ListPage {
  std::vector<ObjectPtr> objects = {};
  std::vector<std::string> prefixes = {};
  std::optional<ListPosition> next = {};  ///< Set where there is more to list.
};

/// One page, at a cost of O(page), whatever is folded or skipped.
ListPage ListObjects(const ObjectSet& objects, const ListQuery& query);

}  // namespace gcsflux::emulator
