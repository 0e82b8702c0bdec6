#include "store/objects/object_set.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "store/objects/prefetch.h"

namespace gcsflux::emulator {
namespace {

// Objects are spread over the memory. One access takes about as long as listing eight objects that are in the cache.
constexpr std::size_t kAhead = 8;

bool IsBefore(const ObjectPtr& object, std::string_view name) { return object->name < name; }

}  // namespace

ObjectSet::Place& ObjectSet::Place::operator++() {
  const Block& block = set_->blocks_[block_];
  if (index_ + kAhead < block.size()) Prefetch(block[index_ + kAhead].get(), sizeof(Object));
  if (++index_ == block.size()) {
    ++block_;
    index_ = 0;
  }
  return *this;
}

ObjectSet::Place ObjectSet::LowerBound(std::string_view name) const {
  const auto block = std::partition_point(blocks_.begin(), blocks_.end(),
                                          [name](const Block& each) { return IsBefore(each.back(), name); });
  if (block == blocks_.end()) return end();
  const auto found = std::partition_point(block->begin(), block->end(),
                                          [name](const ObjectPtr& each) { return IsBefore(each, name); });
  return Place(*this, static_cast<std::size_t>(block - blocks_.begin()),
               static_cast<std::size_t>(found - block->begin()));
}

ObjectSet::Place ObjectSet::Find(std::string_view name) const {
  const Place place = LowerBound(name);
  return place != end() && (*place)->name == name ? place : end();
}

void ObjectSet::Insert(ObjectPtr object) {
  assert(Find(object->name) == end());
  const Place place = MakePlace(LowerBound(object->name));
  Block& block = blocks_[place.block_];
  block.insert(block.begin() + static_cast<std::ptrdiff_t>(place.index_), std::move(object));
  ++size_;
}

// The same place, in a block that is not full.
ObjectSet::Place ObjectSet::MakePlace(Place place) {
  if (place == end()) {
    // After all others: names that arrive in order leave full blocks.
    if (blocks_.empty() || blocks_.back().size() == kMaxBlock) blocks_.emplace_back();
    return Place(*this, blocks_.size() - 1, blocks_.back().size());
  }
  if (blocks_[place.block_].size() < kMaxBlock) return place;
  Split(place.block_, kMaxBlock / 2);
  if (place.index_ <= kMaxBlock / 2) return place;
  return Place(*this, place.block_ + 1, place.index_ - kMaxBlock / 2);
}

void ObjectSet::Erase(Place place) {
  --size_;
  Block& block = blocks_[place.block_];
  block.erase(block.begin() + static_cast<std::ptrdiff_t>(place.index_));
  if (block.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(place.block_));
}

void ObjectSet::Split(std::size_t block, std::size_t at) {
  Block& first = blocks_[block];
  const auto middle = first.begin() + static_cast<std::ptrdiff_t>(at);
  Block second(std::make_move_iterator(middle), std::make_move_iterator(first.end()));
  first.erase(middle, first.end());
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(block) + 1, std::move(second));
}

}  // namespace gcsflux::emulator
