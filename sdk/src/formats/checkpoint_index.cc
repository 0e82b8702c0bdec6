#include "formats/checkpoint_index.h"

#include <algorithm>
#include <string>
#include <utility>

#include "formats/pickle/most_levels.h"

namespace gcsflux::internal {
namespace {

struct Child {
  std::string name;
  NodeId id = 0;
};

// A container that is being visited.
struct Level {
  NodeId id = 0;
  PickleReader::Container container;
  std::size_t name_bytes = 0;  // Of the container's own name.
  std::size_t position = 0;

  // Keys that are neither text nor number are named by their place.
  std::optional<Child> Next(const PickleReader& reader) {
    const auto item = container.items.Next();
    if (!item) return std::nullopt;
    const std::size_t place = position++;
    if (!container.are_pairs) return Child{std::to_string(place), *item};
    const auto value = container.items.Next();
    if (!value) return std::nullopt;
    auto name = reader.NameOfKey(*item);
    return Child{name ? *std::move(name) : "#" + std::to_string(place), *value};
  }
};

class Walk {
 public:
  Walk(const PickleReader& reader, MemoryAllowance& allowance)
      : reader_(reader), allowance_(allowance), visits_left_(100'000 + 4 * reader.graph().node_count()) {}

  bool Run() {
    bool is_well = Visit(reader_.graph().root());
    while (is_well && !levels_.empty()) {
      Level& level = levels_.back();
      name_.resize(level.name_bytes);
      const auto child = level.Next(reader_);
      if (!child) {
        levels_.pop_back();
        continue;
      }
      if (levels_.size() > 1) name_ += '.';  // Not if (!name_.empty()): a key may have no text.
      name_ += child->name;
      is_well = Visit(child->id);
    }
    return is_well;
  }

  CheckpointIndex TakeIndex() && { return std::move(index_); }

 private:
  bool Visit(NodeId id) {
    if (visits_left_-- == 0) return false;
    if (reader_.IsTensor(id)) {
      auto layout = reader_.Tensor(id);
      return layout ? Keep(*std::move(layout)) : Refuse(layout.error().message);
    }
    if (const auto container = reader_.ContainerOf(id)) return Enter(id, *container);
    const auto why = reader_.WhyRefused(id);
    return !why || Refuse(*why);
  }

  bool Enter(NodeId id, const PickleReader::Container& container) {
    if (std::any_of(levels_.begin(), levels_.end(), [&](const Level& level) { return level.id == id; })) {
      return Refuse("it holds itself");
    }
    if (levels_.size() > kMostLevels) return Refuse("it is nested deeper than 256 levels");
    levels_.push_back({.id = id, .container = container, .name_bytes = name_.size()});
    return true;
  }

  // While a vector grows, there are two copies.
  bool Keep(TensorLayout layout) {
    constexpr std::uint64_t kOverhead = 64;
    const std::uint64_t numbers = 16 * layout.shape.size();
    if (!allowance_.Take(2 * sizeof(StoredTensor) + name_.size() + numbers + kOverhead)) return false;
    index_.tensors.push_back({.name = name_, .layout = std::move(layout)});
    return true;
  }

  bool Refuse(const std::string& why) {
    if (!allowance_.Take(2 * sizeof(RefusedValue) + name_.size() + why.size())) return false;
    index_.refused.push_back({.name = name_, .why = why});
    return true;
  }

  const PickleReader& reader_;
  MemoryAllowance& allowance_;
  std::uint64_t visits_left_;
  std::vector<Level> levels_;
  std::string name_;
  CheckpointIndex index_;
};

// Whether a child's name begins a name, as a whole or up to a '.'.
bool IsOnPath(std::string_view child, std::string_view name) {
  return name.starts_with(child) && (name.size() == child.size() || name[child.size()] == '.');
}

}  // namespace

Result<CheckpointIndex> IndexTensors(const PickleReader& reader, MemoryAllowance& allowance) {
  Walk walk(reader, allowance);
  if (walk.Run()) return std::move(walk).TakeIndex();
  return Error{ErrorCode::kUndecodable, "shared values make more names than a file of its length should have"};
}

// Names may contain dots themselves: all containers that may lead there are tried, the first one first.
std::optional<NodeId> FindValue(const PickleReader& reader, std::string_view name) {
  struct Place {
    NodeId id;
    std::optional<std::string_view> rest;  // Of the name, behind this value's own. Nothing if that was all.
  };
  if (name.empty()) return reader.graph().root();
  std::uint64_t visits_left = 100'000 + 4 * reader.graph().node_count();
  std::vector<Place> open = {{reader.graph().root(), name}};
  while (!open.empty()) {
    const Place place = open.back();
    open.pop_back();
    if (!place.rest) return place.id;
    const auto container = reader.ContainerOf(place.id);
    if (!container) continue;
    Level level{.id = place.id, .container = *container};
    const std::size_t first = open.size();
    while (const auto child = level.Next(reader)) {
      if (visits_left-- == 0) return std::nullopt;
      if (!IsOnPath(child->name, *place.rest)) continue;
      const std::size_t size = child->name.size();
      open.push_back(
          {child->id, size == place.rest->size() ? std::nullopt : std::optional(place.rest->substr(size + 1))});
    }
    std::reverse(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
  }
  return std::nullopt;
}

}  // namespace gcsflux::internal
