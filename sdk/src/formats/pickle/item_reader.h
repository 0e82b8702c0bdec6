#pragma once

#include <optional>

#include "formats/pickle/pickle_graph.h"

namespace gcsflux::internal {

/// Visits the items of a container or of a call without copying them. Borrows the graph.
class ItemReader {
 public:
  static ItemReader OfContainer(const PickleGraph& graph, NodeId id) { return {graph, graph.FirstSegment(id)}; }
  static ItemReader OfCall(const PickleGraph& graph, NodeId id) { return {graph, graph.FirstCallSegment(id)}; }

  std::optional<NodeId> Next() {
    if (segment_ == 0) return std::nullopt;
    const NodeId item = graph_->Word(segment_ + 2 + at_);
    if (++at_ == graph_->Word(segment_ + 1)) {
      segment_ = graph_->Word(segment_);
      at_ = 0;
    }
    return item;
  }

 private:
  ItemReader(const PickleGraph& graph, std::uint32_t segment) : graph_(&graph), segment_(segment) {}

  const PickleGraph* graph_;
  std::uint32_t segment_;
  std::uint32_t at_ = 0;
};

}  // namespace gcsflux::internal
