#include "formats/distributed/pickled_objects.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kMostDimensions = 64;

}  // namespace

bool PickledObjects::IsObject(NodeId id, std::string_view class_name) const {
  if (graph_.kind(id) != NodeKind::kCall || graph_.HasKeywords(id)) return false;
  const std::string name = graph_.GlobalName(graph_.Callable(id));
  const std::size_t dot = name.rfind('.');
  return steps_.Take(name.size()) && dot != name.npos && name.starts_with("torch.distributed.") &&
         name.substr(dot + 1) == class_name;
}

std::optional<NodeId> PickledObjects::Attribute(NodeId object, std::string_view name) const {
  auto pairs = Pairs(State(object));
  if (!pairs) return std::nullopt;
  while (const auto key = pairs->Next()) {
    if (!steps_.Take(1)) break;
    const auto value = pairs->Next();
    if (value && Text(*key) == name) return *value;
  }
  return std::nullopt;
}

std::optional<std::string_view> PickledObjects::Text(NodeId id) const {
  if (graph_.kind(id) != NodeKind::kText) return std::nullopt;
  return graph_.Bytes(id);
}

std::optional<std::int64_t> PickledObjects::Integer(NodeId id) const {
  if (graph_.kind(id) != NodeKind::kInteger) return std::nullopt;
  return graph_.Integer(id);
}

std::optional<std::uint64_t> PickledObjects::Count(NodeId id) const {
  const auto number = Integer(id);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::optional<std::vector<std::int64_t>> PickledObjects::Sizes(NodeId id) const {
  if (graph_.kind(id) == NodeKind::kCall) {
    auto arguments = Items(graph_.Arguments(id));
    if (!arguments || graph_.GlobalName(graph_.Callable(id)) != "torch.Size") return std::nullopt;
    const auto sizes = arguments->Next();
    if (!sizes || arguments->Next()) return std::nullopt;
    id = *sizes;
  }
  auto items = Items(id);
  if (!items || graph_.ItemCount(id) > kMostDimensions) return std::nullopt;
  std::vector<std::int64_t> sizes;
  while (const auto item = items->Next()) {
    const auto size = Integer(*item);
    if (!size || *size < 0 || !steps_.Take(1)) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

std::optional<ItemReader> PickledObjects::Items(NodeId id) const {
  const NodeKind kind = graph_.kind(id);
  if (kind != NodeKind::kTuple && kind != NodeKind::kList) return std::nullopt;
  return ItemReader::OfContainer(graph_, id);
}

std::optional<ItemReader> PickledObjects::Pairs(NodeId id) const {
  if (graph_.kind(id) != NodeKind::kDict) return std::nullopt;
  return ItemReader::OfContainer(graph_, id);
}

}  // namespace gcsflux::internal
