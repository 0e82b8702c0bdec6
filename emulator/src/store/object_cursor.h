#pragma once

#include <cstdint>
#include <string_view>

#include "store/object_set.h"
#include "store/object_source.h"

namespace gcsflux::emulator {

/// A place among a bucket's stored and its computed objects, merged in bytewise order of their names.
/// It only moves forward. One thread; borrows both for its life.
class ObjectCursor {
 public:
  /// At the first object. `computed` may be null; no name is in both.
  ObjectCursor(const ObjectSet& stored, const ObjectSource* computed);

  [[nodiscard]] bool is_at_end() const { return here_ == nullptr; }
  /// Null at the end.
  [[nodiscard]] const ObjectPtr& object() const { return here_; }

  void Next();
  /// To the first object, from here on, whose name is not before `name`.
  void Seek(std::string_view name);
  void SeekEnd();

 private:
  void LoadComputed();
  void Choose();

  const ObjectSet& stored_;
  const ObjectSource* const computed_;
  ObjectSet::const_iterator at_stored_;
  std::uint64_t at_computed_ = 0;
  ObjectPtr computed_object_ = {};  // at at_computed_; null behind the last
  ObjectPtr here_ = {};             // the lower of the two
};

}  // namespace gcsflux::emulator
