#pragma once

#include <cstdint>
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

/// A generation of a name, which need not exist.
struct GenerationKey {
  std::string_view name = {};
  std::int64_t generation = 0;

  friend auto operator<=>(const GenerationKey&, const GenerationKey&) = default;
};

[[nodiscard]] inline GenerationKey KeyOf(const Object& object) { return {object.name, object.generation}; }

struct ByGeneration {
  using is_transparent = void;
  bool operator()(const ObjectPtr& a, const ObjectPtr& b) const { return KeyOf(*a) < KeyOf(*b); }
  bool operator()(const ObjectPtr& a, const GenerationKey& b) const { return KeyOf(*a) < b; }
  bool operator()(const GenerationKey& a, const ObjectPtr& b) const { return a < KeyOf(*b); }
};

/// A bucket's noncurrent generations, those of one name in the order in which they were written.
using GenerationSet = std::set<ObjectPtr, ByGeneration>;

}  // namespace gcsflux::emulator
