#include "formats/pickle/pickle_reader.h"

#include "base/text/utf8.h"
#include "formats/bytes/format_error.h"

// Containers, and the small values in them. pickled_tensors.cc reads tensors, pickled_values.cc trees.
namespace gcsflux::internal {
namespace {

constexpr int kMostTags = 8;
constexpr std::string_view kWholeModule = "a whole module; in Python, save its net.state_dict()";

std::optional<std::string> Latin1(std::string_view utf8) {
  std::string bytes;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    if (byte < 0x80) {
      bytes += utf8[i];
    } else if ((byte == 0xC2 || byte == 0xC3) && i + 1 < utf8.size()) {
      const auto next = static_cast<unsigned char>(utf8[++i]);
      if ((next & 0xC0) != 0x80) return std::nullopt;
      bytes += static_cast<char>(static_cast<unsigned char>(((byte & 3) << 6) | (next & 0x3F)));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

}  // namespace

GlobalMeaning PickleReader::MeaningOfNode(NodeId id) const {
  return graph_.kind(id) == NodeKind::kGlobal ? MeaningOf(graph_.GlobalName(id)) : GlobalMeaning{};
}

Meaning PickleReader::MeaningOfCall(NodeId id) const {
  const bool is_call = graph_.kind(id) == NodeKind::kCall && !graph_.HasKeywords(id);
  return is_call ? MeaningOfNode(graph_.Callable(id)).meaning : Meaning::kUnknown;
}

std::optional<std::vector<NodeId>> PickleReader::SmallTuple(NodeId id, std::uint32_t least, std::uint32_t most) const {
  if (graph_.kind(id) != NodeKind::kTuple) return std::nullopt;
  const std::uint32_t count = graph_.ItemCount(id);
  if (count < least || count > most) return std::nullopt;
  std::vector<NodeId> items;
  items.reserve(count);
  ItemReader reader = ItemReader::OfContainer(graph_, id);
  while (const auto item = reader.Next()) items.push_back(*item);
  return items;
}

std::optional<std::int64_t> PickleReader::IntegerOf(NodeId id) const {
  if (graph_.kind(id) != NodeKind::kInteger) return std::nullopt;
  return graph_.Integer(id);
}

std::optional<bool> PickleReader::FlagOf(NodeId id) const {
  if (graph_.kind(id) == NodeKind::kTrue) return true;
  return graph_.kind(id) == NodeKind::kFalse ? std::optional(false) : std::nullopt;
}

std::optional<std::string> PickleReader::TextOf(NodeId id) const {
  if (graph_.kind(id) != NodeKind::kText || !IsUtf8(graph_.Bytes(id))) return std::nullopt;
  return std::string(graph_.Bytes(id));
}

std::optional<std::vector<std::int64_t>> PickleReader::SizesOf(NodeId id) const {
  constexpr std::uint32_t kMostDimensions = 64;
  if (MeaningOfCall(id) == Meaning::kSize) {
    const auto arguments = SmallTuple(graph_.Arguments(id), 1, 1);
    return arguments && graph_.kind(arguments->front()) == NodeKind::kTuple ? SizesOf(arguments->front())
                                                                            : std::nullopt;
  }
  const auto items = SmallTuple(id, 0, kMostDimensions);
  if (!items) return std::nullopt;
  std::vector<std::int64_t> sizes;
  sizes.reserve(items->size());
  for (const NodeId item : *items) {
    const auto size = IntegerOf(item);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

std::optional<std::string> PickleReader::BytesOf(NodeId id) const {
  if (graph_.kind(id) == NodeKind::kBytes) return std::string(graph_.Bytes(id));
  const Meaning meaning = MeaningOfCall(id);
  if (meaning == Meaning::kBytes && graph_.ItemCount(graph_.Arguments(id)) == 0) return std::string();
  if (meaning != Meaning::kEncode) return std::nullopt;
  const auto arguments = SmallTuple(graph_.Arguments(id), 2, 2);
  if (!arguments || graph_.kind((*arguments)[0]) != NodeKind::kText || TextOf((*arguments)[1]) != "latin1") {
    return std::nullopt;
  }
  return Latin1(graph_.Bytes((*arguments)[0]));
}

std::optional<std::string> PickleReader::NameOfKey(NodeId key) const {
  if (const auto number = IntegerOf(key)) return std::to_string(*number);
  return TextOf(key);
}

// None, False, or a container without items: PyTorch writes one of them for absent values.
bool PickleReader::IsNothing(NodeId id) const {
  const auto container = ContainerOf(id);
  if (!container) return graph_.kind(id) == NodeKind::kNone || graph_.kind(id) == NodeKind::kFalse;
  ItemReader items = container->items;
  return !items.Next().has_value();
}

// A script's list and a tagged value are their first argument.
NodeId PickleReader::Resolve(NodeId id) const {
  for (int i = 0; i < kMostTags; ++i) {
    const Meaning meaning = MeaningOfCall(id);
    if (meaning != Meaning::kScriptList && meaning != Meaning::kRestoreTypeTag) return id;
    const auto arguments = SmallTuple(graph_.Arguments(id), 1, 2);
    if (!arguments) return id;
    id = arguments->front();
  }
  return id;
}

std::optional<PickleReader::Container> PickleReader::ContainerOf(NodeId id) const {
  id = Resolve(id);
  switch (graph_.kind(id)) {
    case NodeKind::kDict: return Container{ItemReader::OfContainer(graph_, id), true};
    case NodeKind::kList:
    case NodeKind::kTuple:
    case NodeKind::kSet:
    case NodeKind::kFrozenSet: return Container{ItemReader::OfContainer(graph_, id), false};
    default: break;
  }
  switch (MeaningOfCall(id)) {
    case Meaning::kOrderedDict:
    case Meaning::kDefaultDict:
      if (graph_.CallItemCount(id) > 0 && !graph_.HasPairs(id)) return std::nullopt;
      return Container{ItemReader::OfCall(graph_, id), true};
    case Meaning::kScriptClass:
      if (objects_ == Objects::kRefuse || graph_.kind(graph_.State(id)) != NodeKind::kDict) return std::nullopt;
      return Container{ItemReader::OfContainer(graph_, graph_.State(id)), true};
    default: return std::nullopt;
  }
}

bool PickleReader::IsTensor(NodeId id) const {
  switch (MeaningOfCall(id)) {
    case Meaning::kRebuildTensor:
    case Meaning::kRebuildTensorV2:
    case Meaning::kRebuildTensorV3:
    case Meaning::kRebuildParameter:
    case Meaning::kRebuildParameterWithState:
    case Meaning::kRebuildFromTypeV2: return true;
    default: return false;
  }
}

// An object of torch.nn.Module, of any class.
bool PickleReader::IsModule(NodeId id) const {
  if (graph_.kind(id) != NodeKind::kCall || graph_.kind(graph_.State(id)) != NodeKind::kDict) return false;
  constexpr int kFirst = 16;  // Its own attributes come first.
  ItemReader items = ItemReader::OfContainer(graph_, graph_.State(id));
  for (int i = 0; i < kFirst; ++i) {
    const auto key = items.Next();
    if (!key || !items.Next()) return false;
    if (graph_.kind(*key) == NodeKind::kText && graph_.Bytes(*key) == "_parameters") return true;
  }
  return false;
}

std::optional<std::string> PickleReader::WhyRefused(NodeId id) const {
  const bool is_call = graph_.kind(id) == NodeKind::kCall;
  if (!is_call && graph_.kind(id) != NodeKind::kGlobal) return std::nullopt;
  const NodeId global = is_call ? graph_.Callable(id) : id;
  if (graph_.kind(global) != NodeKind::kGlobal) return "it calls a value that is not a name; nothing was executed";
  const std::string name = graph_.GlobalName(global);
  const Meaning meaning = MeaningOf(name).meaning;
  const bool is_script = meaning == Meaning::kScriptClass;
  const bool is_read = is_call ? meaning != Meaning::kUnknown && !graph_.HasKeywords(id) &&
                                     (!is_script || objects_ == Objects::kReadScriptObjects)
                               : meaning == Meaning::kDType;
  if (is_read) return std::nullopt;
  const std::string_view kind = IsModule(id) ? kWholeModule : KindOfRefused(name);
  return "the global " + Shown(name) + (kind.empty() ? "" : " (" + std::string(kind) + ")") +
         " is not read; nothing was executed";
}

}  // namespace gcsflux::internal
