#include "store/object_cursor.h"

namespace gcsflux::emulator {

ObjectCursor::ObjectCursor(const ObjectSet& stored, const ObjectSource* computed)
    : stored_(stored), computed_(computed), at_stored_(stored.begin()) {
  LoadComputed();
  Choose();
}

void ObjectCursor::Next() {
  if (here_ == computed_object_) {
    ++at_computed_;
    LoadComputed();
  } else {
    ++at_stored_;
  }
  Choose();
}

void ObjectCursor::Seek(std::string_view name) {
  if (is_at_end() || here_->name >= name) return;
  at_stored_ = stored_.lower_bound(name);
  if (computed_object_ != nullptr && computed_object_->name < name) {
    at_computed_ = computed_->LowerBound(name, at_computed_ + 1);
    LoadComputed();
  }
  Choose();
}

void ObjectCursor::SeekEnd() {
  at_stored_ = stored_.end();
  at_computed_ = computed_ != nullptr ? computed_->count() : 0;
  computed_object_ = here_ = nullptr;
}

void ObjectCursor::LoadComputed() {
  const bool is_behind = computed_ == nullptr || at_computed_ == computed_->count();
  computed_object_ = is_behind ? nullptr : computed_->At(at_computed_);
}

void ObjectCursor::Choose() {
  const bool has_stored = at_stored_ != stored_.end();
  const bool is_stored = has_stored && (computed_object_ == nullptr || (*at_stored_)->name < computed_object_->name);
  here_ = is_stored ? *at_stored_ : computed_object_;
}

}  // namespace gcsflux::emulator
