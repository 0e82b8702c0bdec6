#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "store/object.h"
#include "store/object_set.h"
#include "store/object_source.h"

namespace gcsflux::emulator {

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

/// One page of the stored objects and the computed ones, which may be null, merged in their order.
/// Costs O(page), whatever is folded or skipped.
ListPage ListObjects(const ObjectSet& stored, const ListQuery& query, const ObjectSource* computed = nullptr);

}  // namespace gcsflux::emulator
