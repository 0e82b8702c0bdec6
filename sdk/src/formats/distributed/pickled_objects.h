#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/pickle/arena.h"
#include "formats/pickle/item_reader.h"
#include "formats/pickle/pickle_graph.h"

namespace gcsflux::internal {

/// Objects of Python's classes in a pickle: a class, and what it should set. Nothing is constructed. Borrows the graph.
///
/// Values that many objects share could make every look-up long. So the look-ups of a pickle of n bytes may take
/// 64 n + 2^20 steps; after that, nothing is found.
class PickledObjects {
 public:
  explicit PickledObjects(const PickleGraph& graph) : graph_(graph), steps_(64 * graph.pickle_bytes() + (1 << 20)) {}

  /// Whether the value is an object of a class of this name, in any module below torch.distributed. Its state is in
  /// State().
  [[nodiscard]] bool IsObject(NodeId id, std::string_view class_name) const;
  [[nodiscard]] NodeId State(NodeId object) const { return graph_.State(object); }
  /// An attribute, if the object's state is a dictionary that has it.
  [[nodiscard]] std::optional<NodeId> Attribute(NodeId object, std::string_view name) const;

  /// Uses up steps. False if there are none left.
  bool Take(std::uint64_t steps) const { return steps_.Take(steps); }
  [[nodiscard]] bool IsNone(NodeId id) const { return graph_.kind(id) == NodeKind::kNone; }
  [[nodiscard]] std::optional<std::string_view> Text(NodeId id) const;
  [[nodiscard]] std::optional<std::int64_t> Integer(NodeId id) const;
  /// An integer from 0 on.
  [[nodiscard]] std::optional<std::uint64_t> Count(NodeId id) const;
  /// A torch.Size or a tuple of at most 64 integers from 0 on.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> Sizes(NodeId id) const;
  /// Of a tuple or a list.
  [[nodiscard]] std::optional<ItemReader> Items(NodeId id) const;
  /// Of a dictionary: keys and values, one after the other.
  [[nodiscard]] std::optional<ItemReader> Pairs(NodeId id) const;

 private:
  const PickleGraph& graph_;
  mutable MemoryAllowance steps_;
};

}  // namespace gcsflux::internal
