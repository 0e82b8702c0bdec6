#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "base/time_source.h"
#include "store/objects/object.h"
#include "store/objects/object_set.h"

namespace gcsflux::emulator {

/// A bucket's soft-deleted generations, by their names and by the end of their time. One thread, or many readers.
class SoftDeletedSet {
 public:
  [[nodiscard]] std::size_t size() const { return by_name_.size(); }
  [[nodiscard]] bool empty() const { return by_name_.empty(); }
  [[nodiscard]] const GenerationSet& by_name() const { return by_name_; }

  /// Adds a soft-deleted generation that is not in the set.
  void Insert(const ObjectPtr& object);
  /// Returns false if it is not in the set.
  bool Erase(const ObjectPtr& object);
  /// Null if there is none.
  [[nodiscard]] ObjectPtr Find(std::string_view name, std::int64_t generation) const;

  /// Those whose time has passed.
  [[nodiscard]] std::vector<ObjectPtr> FindExpired(Time now) const;
  /// When the last one's time passes; the least time if there are none.
  [[nodiscard]] Time last_hard_delete() const;

 private:
  struct ByHardDelete {
    bool operator()(const ObjectPtr& a, const ObjectPtr& b) const;
  };

  GenerationSet by_name_;
  std::set<ObjectPtr, ByHardDelete> by_hard_delete_;
};

}  // namespace gcsflux::emulator
