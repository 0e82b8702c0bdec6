#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "store/objects/object_set.h"
#include "store/objects/object_source.h"

namespace gcsflux::emulator {

/// A place among a bucket's live, its computed and its noncurrent objects, merged in the order of their names and
/// generations. It only moves forward. One thread; borrows all of them for its life.
class ObjectCursor {
 public:
  /// At the first object. `computed` and `noncurrent` may be null; no name is both stored and computed.
  ObjectCursor(const ObjectSet& stored, const ObjectSource* computed, const GenerationSet* noncurrent);

  ObjectCursor(const ObjectCursor&) = delete;
  ObjectCursor& operator=(const ObjectCursor&) = delete;

  [[nodiscard]] bool is_at_end() const { return here_ == nullptr; }
  /// Good until the cursor moves; not at the end.
  [[nodiscard]] const ObjectPtr& object() const { return *here_; }

  void Next();
  /// To the first object, from here on, whose name is not before `name`.
  void Seek(std::string_view name);
  /// To the first object, from here on, that is behind this generation of `name`; of all of them unless it is said.
  void SeekBehind(std::string_view name, std::int64_t generation = std::numeric_limits<std::int64_t>::max());
  void SeekEnd();

 private:
  void LoadComputed();
  void Choose();

  const ObjectSet& stored_;
  const ObjectSource* const computed_;
  const GenerationSet* const noncurrent_;
  ObjectSet::Place at_stored_;
  GenerationSet::const_iterator at_noncurrent_ = {};
  std::uint64_t at_computed_ = 0;
  ObjectPtr computed_object_ = {};   // at at_computed_; null behind the last
  const ObjectPtr* here_ = nullptr;  // the first of them, where it is kept; null at the end
};

}  // namespace gcsflux::emulator
