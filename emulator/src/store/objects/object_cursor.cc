#include "store/objects/object_cursor.h"

namespace gcsflux::emulator {

ObjectCursor::ObjectCursor(const ObjectSet& stored, const ObjectSource* computed, const GenerationSet* noncurrent)
    : stored_(stored), computed_(computed), noncurrent_(noncurrent), at_stored_(stored.begin()) {
  if (noncurrent_ != nullptr) at_noncurrent_ = noncurrent_->begin();
  LoadComputed();
  Choose();
}

void ObjectCursor::Next() {
  if (here_ == &computed_object_) {
    ++at_computed_;
    LoadComputed();
  } else if (at_stored_ != stored_.end() && here_ == &*at_stored_) {
    ++at_stored_;
  } else {
    ++at_noncurrent_;
  }
  Choose();
}

void ObjectCursor::Seek(std::string_view name) {
  if (is_at_end() || object()->name >= name) return;
  at_stored_ = stored_.LowerBound(name);
  if (noncurrent_ != nullptr) at_noncurrent_ = noncurrent_->lower_bound(GenerationKey{name});
  if (computed_object_ != nullptr && computed_object_->name < name) {
    at_computed_ = computed_->LowerBound(name, at_computed_ + 1);
    LoadComputed();
  }
  Choose();
}

void ObjectCursor::SeekBehind(std::string_view name, std::int64_t generation) {
  const GenerationKey last{name, generation};
  Seek(name);
  if (is_at_end() || KeyOf(*object()) > last) return;
  if (noncurrent_ != nullptr) at_noncurrent_ = noncurrent_->upper_bound(last);
  Choose();
  // The name's live generation is its last.
  if (!is_at_end() && KeyOf(*object()) <= last) Next();
}

void ObjectCursor::SeekEnd() {
  at_stored_ = stored_.end();
  if (noncurrent_ != nullptr) at_noncurrent_ = noncurrent_->end();
  at_computed_ = computed_ != nullptr ? computed_->count() : 0;
  computed_object_ = nullptr;
  here_ = nullptr;
}

void ObjectCursor::LoadComputed() {
  const bool is_behind = computed_ == nullptr || at_computed_ == computed_->count();
  computed_object_ = is_behind ? nullptr : computed_->At(at_computed_);
}

void ObjectCursor::Choose() {
  here_ = computed_object_ != nullptr ? &computed_object_ : nullptr;
  const auto consider = [this](const ObjectPtr& candidate) {
    if (here_ == nullptr || KeyOf(*candidate) < KeyOf(*object())) here_ = &candidate;
  };
  if (at_stored_ != stored_.end()) consider(*at_stored_);
  if (noncurrent_ != nullptr && at_noncurrent_ != noncurrent_->end()) consider(*at_noncurrent_);
}

}  // namespace gcsflux::emulator
