#include <utility>

#include "formats/bytes/format_error.h"
#include "formats/bytes/tensor_layout.h"
#include "formats/pickle/pickle_reader.h"

namespace gcsflux::internal {
namespace {

constexpr int kMostWrappings = 8;  // Parameters of tensors of a type: PyTorch writes up to three.

Error Refuse(std::string why) { return {ErrorCode::kUndecodable, std::move(why)}; }

bool IsNone(const PickleGraph& graph, NodeId id) { return graph.kind(id) == NodeKind::kNone; }

}  // namespace

// ('storage', class, key, location, elements)
Result<PickledStorage> PickleReader::ParseStorage(NodeId persistent) const {
  if (graph_.kind(persistent) != NodeKind::kPersistent) return Refuse("a tensor has no storage");
  const auto items = SmallTuple(graph_.PersistentId(persistent), 5, 5);
  if (!items || TextOf((*items)[0]) != "storage") return Refuse("a persistent id does not name a storage");
  const GlobalMeaning type = MeaningOfNode((*items)[1]);
  if (type.meaning != Meaning::kStorageClass && type.meaning != Meaning::kUntypedStorage) {
    const std::string name = graph_.GlobalName((*items)[1]);
    const std::string kind(KindOfRefused(name));
    return Refuse("storages of class " + Shown(name) + (kind.empty() ? "" : " (" + kind + ")") + " are not read");
  }
  auto key = TextOf((*items)[2]);
  const auto elements = IntegerOf((*items)[4]);
  std::uint64_t bytes = 0;
  if (!key || !elements || *elements < 0 ||
      __builtin_mul_overflow(static_cast<std::uint64_t>(*elements), ElementBytes(type.dtype), &bytes)) {
    return Refuse("a storage's key or length makes no sense");
  }
  return PickledStorage{.key = *std::move(key), .dtype = type.dtype, .bytes = bytes};
}

bool PickleReader::IndexStorages(MemoryAllowance& allowance) {
  // While the vector grows; includes the map's part.
  constexpr std::uint64_t kBytesOfOne = 2 * sizeof(PickledStorage) + 112;
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    if (graph_.kind(id) != NodeKind::kPersistent) continue;
    auto storage = ParseStorage(id);
    if (!storage) continue;
    const auto [known, is_new] = storage_by_key_.try_emplace(storage->key, storages_.size());
    if (!is_new) {
      PickledStorage& other = storages_[known->second];
      other.has_two_lengths = other.has_two_lengths || other.bytes != storage->bytes;
      continue;
    }
    if (!allowance.Take(kBytesOfOne + 2 * storage->key.size())) return false;
    storages_.push_back(*std::move(storage));
  }
  return true;
}

Result<PickleReader::TypedStorage> PickleReader::StorageOf(NodeId persistent) const {
  const auto storage = ParseStorage(persistent);
  if (!storage) return storage.error();
  const std::size_t index = storage_by_key_.at(storage->key);
  if (!storages_[index].has_two_lengths) return TypedStorage{index, storage->dtype};
  return Refuse("storage " + Shown(storage->key) + " has two lengths, " + std::to_string(storages_[index].bytes) +
                " and another number of bytes");
}

// (storage, offset, size, stride[, requires_grad, hooks[, dtype][, metadata]])
Result<TensorLayout> PickleReader::RebuildPlain(Meaning meaning, NodeId arguments) const {
  const bool is_v1 = meaning == Meaning::kRebuildTensor;
  const bool has_dtype = meaning == Meaning::kRebuildTensorV3;
  const std::uint32_t least = is_v1 ? 4 : has_dtype ? 7 : 6;
  const auto items = SmallTuple(arguments, least, is_v1 ? least : least + 1);
  if (!items) return Refuse("a tensor is rebuilt from arguments that make no sense");
  const auto storage = StorageOf((*items)[0]);
  if (!storage) return storage.error();
  const auto offset = IntegerOf((*items)[1]);
  auto shape = SizesOf((*items)[2]);
  auto strides = SizesOf((*items)[3]);
  const auto requires_grad = is_v1 ? std::optional(false) : FlagOf((*items)[4]);
  if (!offset || *offset < 0 || !shape || !strides || !requires_grad) {
    return Refuse("a tensor's offset, shape, strides or requires_grad make no sense");
  }
  if (items->size() > least && !IsNothing(items->back())) {
    return Refuse("tensors that are conjugated or negated when they are used are not read; save tensor.resolve_conj()");
  }
  TensorLayout layout{.dtype = storage->dtype,
                      .requires_grad = *requires_grad,
                      .storage = storage->storage,
                      .offset = static_cast<std::uint64_t>(*offset),
                      .shape = *std::move(shape),
                      .strides = *std::move(strides)};
  if (has_dtype) {
    const GlobalMeaning dtype = MeaningOfNode((*items)[6]);
    if (dtype.meaning != Meaning::kDType) {
      return Refuse("tensors of type " + Shown(graph_.GlobalName((*items)[6])) + " are not read");
    }
    layout.dtype = dtype.dtype;
  }
  if (TouchedBytes(layout, storages_[layout.storage].bytes)) return layout;
  return Refuse("the tensor's shape, strides or offset leave its storage, or the shape is too large; the storage has " +
                std::to_string(storages_[layout.storage].bytes) + " bytes");
}

// (rebuild function, class, arguments, attributes)
Result<TensorLayout> PickleReader::RebuildFromType(NodeId arguments, int depth) const {
  const auto items = SmallTuple(arguments, 4, 4);
  if (!items) return Refuse("a tensor is rebuilt from arguments that make no sense");
  if (MeaningOfNode((*items)[1]).meaning != Meaning::kPlainTensorClass) {
    return Refuse("tensors of class " + Shown(graph_.GlobalName((*items)[1])) + " are not read");
  }
  auto layout = Rebuild((*items)[0], (*items)[2], depth + 1);
  if (layout && graph_.GlobalName((*items)[1]) == "torch.nn.parameter.Parameter") layout->is_parameter = true;
  return layout;
}

Result<TensorLayout> PickleReader::Rebuild(NodeId callable, NodeId arguments, int depth) const {
  if (depth > kMostWrappings) return Refuse("a tensor is wrapped too often");
  const Meaning meaning = MeaningOfNode(callable).meaning;
  switch (meaning) {
    case Meaning::kRebuildTensor:
    case Meaning::kRebuildTensorV2:
    case Meaning::kRebuildTensorV3: return RebuildPlain(meaning, arguments);
    case Meaning::kRebuildFromTypeV2: return RebuildFromType(arguments, depth);
    case Meaning::kRebuildParameter:
    case Meaning::kRebuildParameterWithState: break;
    default: return Refuse("a tensor is rebuilt by " + Shown(graph_.GlobalName(callable)) + ", which is not read");
  }
  const auto items = SmallTuple(arguments, 3, 4);
  const auto requires_grad = items ? FlagOf((*items)[1]) : std::nullopt;
  if (!requires_grad || graph_.kind(items->front()) != NodeKind::kCall) {
    return Refuse("a parameter is rebuilt from arguments that make no sense");
  }
  const NodeId data = items->front();
  auto layout = Rebuild(graph_.Callable(data), graph_.Arguments(data), depth + 1);
  if (layout) {
    layout->is_parameter = true;
    layout->requires_grad = *requires_grad;
  }
  return layout;
}

Result<TensorLayout> PickleReader::Tensor(NodeId id) const {
  if (graph_.HasKeywords(id) || !IsNone(graph_, graph_.State(id))) {
    return Refuse("a tensor is rebuilt in a way that is not read");
  }
  return Rebuild(graph_.Callable(id), graph_.Arguments(id), 0);
}

}  // namespace gcsflux::internal
