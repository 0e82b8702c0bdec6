#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "store/objects/object_set.h"
#include "store/objects/object_source.h"

namespace gcsflux::emulator {

/// A place among a bucket's live, computed and noncurrent objects, merged in the order of names and generations. It
/// only moves forward. One thread. The objects must outlive it.
class ObjectCursor {
 public:
  /// Starts at the first object. `computed` and `noncurrent` may be null. No name is both stored and computed.
  ObjectCursor(const ObjectSet& stored, const ObjectSource* computed, const GenerationSet* noncurrent);

  ObjectCursor(const ObjectCursor&) = delete;
  ObjectCursor& operator=(const ObjectCursor&) = delete;

  [[nodiscard]] bool is_at_end() const { return here_ == nullptr; }
  /// Valid until the cursor moves. Not at the end.
  [[nodiscard]] const ObjectPtr& object() const { return *here_; }

  void Next();
  /// Moves to the first object, from here on, whose name is not before `name`.
  void Seek(std::string_view name);
  /// Moves to the first object, from here on, after this generation of `name`; without a generation, after all of them.
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
  ObjectPtr computed_object_ = {};   // at at_computed_; null after the last
  const ObjectPtr* here_ = nullptr;  // the first of them, if it is kept; null at the end
};

}  // namespace gcsflux::emulator
