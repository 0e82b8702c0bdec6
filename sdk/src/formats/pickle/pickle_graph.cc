#include "formats/pickle/pickle_graph.h"

#include <bit>

namespace gcsflux::internal {

std::int64_t PickleGraph::Integer(NodeId id) const {
  const Node& node = nodes_[id];
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(node.b) << 32) | node.c);
}

double PickleGraph::Float(NodeId id) const { return std::bit_cast<double>(Integer(id)); }

std::string_view PickleGraph::Bytes(NodeId id) const {
  const Node& node = nodes_[id];
  return std::string_view(pickle_).substr(node.b, node.c);
}

std::string PickleGraph::GlobalName(NodeId id) const {
  const Node& node = nodes_[id];
  if (node.kind != NodeKind::kGlobal) return {};
  switch (node.flag) {
    case 0: {  // "module\nname\n" at b; the lengths are c and a.
      const std::string_view text = std::string_view(pickle_).substr(node.b);
      return std::string(text.substr(0, node.c)).append(".").append(text.substr(node.c + 1, node.a));
    }
    case 1:  // STACK_GLOBAL: two values.
      if (kind(node.a) != NodeKind::kText || kind(node.b) != NodeKind::kText) return {};
      return std::string(Bytes(node.a)).append(".").append(Bytes(node.b));
    default: return "extension registry code " + std::to_string(node.b);
  }
}

NodeId PickleGraph::State(NodeId id) const {
  const std::uint32_t place = nodes_[id].c;
  return place == 0 ? 0 : states_[place].state;
}

}  // namespace gcsflux::internal
