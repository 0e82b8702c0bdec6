#include <algorithm>
#include <utility>

#include "formats/pickle/most_levels.h"
#include "formats/pickle/pickle_reader.h"

namespace gcsflux::internal {
namespace {

using pickled::DictKind;
using pickled::Refused;
using pickled::Value;

Value RefusedAs(std::string why) { return {.any = Refused{std::move(why)}}; }

Value Senseless() { return RefusedAs("the value's arguments make no sense"); }

}  // namespace

/// Shared values count each time: a small file must not need much memory.
struct PickleReader::Budget {
  std::uint64_t values_left = 0;
};

Result<Value> PickleReader::Read(NodeId id) const {
  constexpr std::uint64_t kAtLeast = 100'000;
  Budget budget{.values_left = kAtLeast + 4 * graph_.node_count()};
  Value value = ReadAt(id, 0, budget);
  if (budget.values_left > 0) return value;
  return Error{ErrorCode::kUndecodable, "it holds more values than a pickle of its length should"};
}

std::vector<Value> PickleReader::ReadItems(ItemReader items, int depth, Budget& budget) const {
  std::vector<Value> values;
  while (const auto item = items.Next()) {
    if (budget.values_left == 0) break;
    values.push_back(ReadAt(*item, depth, budget));
  }
  return values;
}

pickled::Entries PickleReader::ReadEntries(ItemReader items, int depth, Budget& budget) const {
  pickled::Entries entries;
  while (const auto key = items.Next()) {
    if (budget.values_left == 0) break;
    Value name = ReadAt(*key, depth, budget);
    const auto value = items.Next();  // There are as many as keys.
    entries.emplace_back(std::move(name), ReadAt(*value, depth, budget));
  }
  return entries;
}

Value PickleReader::ReadAt(NodeId id, int depth, Budget& budget) const {
  if (budget.values_left == 0) return {};
  --budget.values_left;
  if (depth > kMostLevels) return RefusedAs("it is nested deeper than 256 levels, or holds itself");
  const auto items = [&] { return ReadItems(ItemReader::OfContainer(graph_, id), depth + 1, budget); };
  switch (graph_.kind(id)) {
    case NodeKind::kNone: return {};
    case NodeKind::kFalse: return {.any = false};
    case NodeKind::kTrue: return {.any = true};
    case NodeKind::kInteger: return {.any = graph_.Integer(id)};
    case NodeKind::kLongInteger: return {.any = pickled::LongInteger{std::string(graph_.Bytes(id))}};
    case NodeKind::kFloat: return {.any = graph_.Float(id)};
    case NodeKind::kBytes: return {.any = pickled::Bytes{std::string(graph_.Bytes(id))}};
    case NodeKind::kByteArray: return {.any = pickled::Bytes{std::string(graph_.Bytes(id)), true}};
    case NodeKind::kTuple: return {.any = pickled::Tuple{items()}};
    case NodeKind::kList: return {.any = pickled::List{items()}};
    case NodeKind::kSet: return {.any = pickled::Set{items()}};
    case NodeKind::kFrozenSet: return {.any = pickled::Set{items(), true}};
    case NodeKind::kDict:
      return {.any = pickled::Dict{.entries = ReadEntries(ItemReader::OfContainer(graph_, id), depth + 1, budget)}};
    case NodeKind::kText: {
      auto text = TextOf(id);
      return text ? Value{.any = *std::move(text)} : RefusedAs("the text is not UTF-8");
    }
    case NodeKind::kGlobal: {
      const GlobalMeaning global = MeaningOfNode(id);
      return global.meaning == Meaning::kDType ? Value{.any = global.dtype} : RefusedAs(*WhyRefused(id));
    }
    case NodeKind::kPersistent: {
      const auto storage = StorageOf(id);
      if (!storage) return RefusedAs(storage.error().message);
      return {.any = pickled::Storage{storage->storage, storage->dtype}};
    }
    case NodeKind::kCall: return ReadCall(id, depth, budget);
  }
  return {};
}

Value PickleReader::ReadDict(DictKind kind, NodeId id, int depth, Budget& budget) const {
  if (graph_.CallItemCount(id) > 0 && !graph_.HasPairs(id)) return Senseless();
  pickled::Dict dict{.kind = kind, .entries = ReadEntries(ItemReader::OfCall(graph_, id), depth + 1, budget)};
  const NodeId state = graph_.State(id);
  if (graph_.kind(state) == NodeKind::kDict) {
    dict.attributes = ReadEntries(ItemReader::OfContainer(graph_, state), depth + 1, budget);
  }
  return {.any = std::move(dict)};
}

Value PickleReader::ReadScriptObject(NodeId id, int depth, Budget& budget) const {
  const NodeId state = graph_.State(id);
  if (graph_.kind(state) != NodeKind::kDict) return RefusedAs("an object's state is not a dictionary");
  return {.any = pickled::Dict{.kind = DictKind::kObject,
                               .class_name = graph_.GlobalName(graph_.Callable(id)),
                               .entries = ReadEntries(ItemReader::OfContainer(graph_, state), depth + 1, budget)}};
}

Value PickleReader::ReadCall(NodeId id, int depth, Budget& budget) const {
  if (auto why = WhyRefused(id)) return RefusedAs(*std::move(why));
  if (IsTensor(id)) {
    auto layout = Tensor(id);
    return layout ? Value{.any = *std::move(layout)} : RefusedAs(layout.error().message);
  }
  const Meaning meaning = MeaningOfCall(id);
  const auto argument = SmallTuple(graph_.Arguments(id), 1, 1);
  switch (meaning) {
    case Meaning::kOrderedDict:
      return graph_.ItemCount(graph_.Arguments(id)) == 0 ? ReadDict(DictKind::kOrderedDict, id, depth, budget)
                                                         : Senseless();
    case Meaning::kDefaultDict: return ReadDict(DictKind::kDefaultDict, id, depth, budget);
    case Meaning::kCounter: {
      if (!argument || graph_.kind(argument->front()) != NodeKind::kDict) return Senseless();
      const ItemReader items = ItemReader::OfContainer(graph_, argument->front());
      return {.any = pickled::Dict{.kind = DictKind::kCounter, .entries = ReadEntries(items, depth + 1, budget)}};
    }
    case Meaning::kSet:
    case Meaning::kFrozenSet: {
      if (!argument || graph_.kind(argument->front()) != NodeKind::kList) return Senseless();
      const ItemReader items = ItemReader::OfContainer(graph_, argument->front());
      return {.any = pickled::Set{ReadItems(items, depth + 1, budget), meaning == Meaning::kFrozenSet}};
    }
    case Meaning::kScriptList:
    case Meaning::kRestoreTypeTag: {
      const auto arguments = SmallTuple(graph_.Arguments(id), 1, 2);
      return arguments ? ReadAt(arguments->front(), depth + 1, budget) : Senseless();
    }
    case Meaning::kScriptClass: return ReadScriptObject(id, depth, budget);
    default: return ReadPlainCall(meaning, id);
  }
}

Value PickleReader::ReadPlainCall(Meaning meaning, NodeId id) const {
  const NodeId tuple = graph_.Arguments(id);
  const auto arguments = SmallTuple(tuple, 0, 2);
  switch (meaning) {
    case Meaning::kBytes:
    case Meaning::kEncode:
      if (auto bytes = BytesOf(id)) return {.any = pickled::Bytes{*std::move(bytes)}};
      break;
    case Meaning::kByteArray: {
      if (!arguments) break;
      if (arguments->empty()) return {.any = pickled::Bytes{{}, true}};
      if (auto bytes = BytesOf(arguments->front())) return {.any = pickled::Bytes{*std::move(bytes), true}};
      break;
    }
    case Meaning::kComplex: {
      const auto is_float = [&](NodeId part) { return graph_.kind(part) == NodeKind::kFloat; };
      if (!arguments || arguments->size() != 2 || !std::all_of(arguments->begin(), arguments->end(), is_float)) break;
      return {.any = std::complex<double>(graph_.Float((*arguments)[0]), graph_.Float((*arguments)[1]))};
    }
    case Meaning::kSize:
      if (auto sizes = SizesOf(id)) return {.any = pickled::Size{*std::move(sizes)}};
      break;
    case Meaning::kDevice: {
      if (!arguments || arguments->empty()) break;
      auto type = TextOf(arguments->front());
      const auto index = arguments->size() == 2 ? IntegerOf(arguments->back()) : std::nullopt;
      if (type && (index || arguments->size() == 1)) return {.any = pickled::Device{*std::move(type), index}};
      break;
    }
    case Meaning::kNumpyScalar:
      if (auto scalar = ReadNumpyScalar(id)) return *std::move(scalar);
      break;
    case Meaning::kNumpyReconstruct:
      if (auto array = ReadNumpyArray(id)) return *std::move(array);
      break;
    case Meaning::kNumpyFromBuffer:
      if (auto array = ReadNumpyBuffer(id)) return *std::move(array);
      break;
    default: break;
  }
  return Senseless();
}

}  // namespace gcsflux::internal
