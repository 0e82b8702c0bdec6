#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "store/objects/object.h"

namespace gcsflux::emulator {

/// A bucket's live objects in the bytewise order of their names, which is GCS's order. No two have one name. One
/// thread, or many readers.
///
/// Sorted blocks of pointers, not a tree. A step to the next object touches no memory outside the cache, so the objects
/// themselves can be fetched ahead of time. A pointer takes a third of a tree node's memory. Insert() and Erase() move
/// the rest of a block. If a block is split or removed, they move the list of blocks.
class ObjectSet {
 public:
  /// The place of an object; valid until the set changes.
  class Place {
   public:
    [[nodiscard]] const ObjectPtr& operator*() const { return set_->blocks_[block_][index_]; }
    Place& operator++();
    friend bool operator==(const Place&, const Place&) = default;

   private:
    friend ObjectSet;
    Place(const ObjectSet& set, std::size_t block, std::size_t index) : set_(&set), block_(block), index_(index) {}

    const ObjectSet* set_;
    std::size_t block_;  // the end is in no block, at index 0
    std::size_t index_;
  };

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] Place begin() const { return Place(*this, 0, 0); }
  [[nodiscard]] Place end() const { return Place(*this, blocks_.size(), 0); }

  /// The first object whose name is not before `name`.
  [[nodiscard]] Place LowerBound(std::string_view name) const;
  /// end() if there is none of that name.
  [[nodiscard]] Place Find(std::string_view name) const;

  /// Adds an object whose name is not in the set.
  void Insert(ObjectPtr object);
  /// Replaces the object of the same name.
  void Replace(Place place, ObjectPtr object) { blocks_[place.block_][place.index_] = std::move(object); }
  void Erase(Place place);

 private:
  using Block = std::vector<ObjectPtr>;  // sorted, never empty

  static constexpr std::size_t kMaxBlock = 512;

  [[nodiscard]] Place MakePlace(Place place);
  void Split(std::size_t block, std::size_t at);

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
};

/// A generation of a name, which need not exist.
struct GenerationKey {
  std::string_view name = {};
  std::int64_t generation = 0;

  friend auto operator<=>(const GenerationKey&, const GenerationKey&) = default;  // NOLINT(modernize-use-nullptr)
};

[[nodiscard]] inline GenerationKey KeyOf(const Object& object) { return {object.name, object.generation}; }

struct ByGeneration {
  using is_transparent = void;
  bool operator()(const ObjectPtr& a, const ObjectPtr& b) const { return KeyOf(*a) < KeyOf(*b); }
  bool operator()(const ObjectPtr& a, const GenerationKey& b) const { return KeyOf(*a) < b; }
  bool operator()(const GenerationKey& a, const ObjectPtr& b) const { return a < KeyOf(*b); }
};

/// A bucket's noncurrent generations. Those of one name are in the order in which they were written.
using GenerationSet = std::set<ObjectPtr, ByGeneration>;

}  // namespace gcsflux::emulator
