#pragma once

#include <set>
#include <string_view>

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

}  // namespace gcsflux::emulator
