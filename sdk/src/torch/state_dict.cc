#include "gcsflux/torch/state_dict.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text/utf8.h"
#include "torch/failure.h"
#include "torch/tensor_bytes.h"

namespace gcsflux {
namespace {

struct TypeRow {
  DType dtype;
  c10::ScalarType type;
};

constexpr auto kTypes = std::to_array<TypeRow>({
    {DType::kBool, c10::ScalarType::Bool},
    {DType::kUint8, c10::ScalarType::Byte},
    {DType::kInt8, c10::ScalarType::Char},
    {DType::kInt16, c10::ScalarType::Short},
    {DType::kInt32, c10::ScalarType::Int},
    {DType::kInt64, c10::ScalarType::Long},
    {DType::kFloat16, c10::ScalarType::Half},
    {DType::kBfloat16, c10::ScalarType::BFloat16},
    {DType::kFloat32, c10::ScalarType::Float},
    {DType::kFloat64, c10::ScalarType::Double},
    {DType::kComplex32, c10::ScalarType::ComplexHalf},
    {DType::kComplex64, c10::ScalarType::ComplexFloat},
    {DType::kComplex128, c10::ScalarType::ComplexDouble},
});

c10::ScalarType TypeOrThrow(const StoredTensor& tensor) {
  const auto type = ScalarTypeOf(tensor.layout.dtype);
  if (type) return *type;
  throw Failure(ErrorCode::kUndecodable, "tensor '" + tensor.name + "' has the type " +
                                             std::string(DTypeName(tensor.layout.dtype)) + ", which libtorch lacks");
}

// With a stride of 0, one element can represent any number.
at::Tensor EmptyOrThrow(const StoredTensor& tensor) {
  const c10::ScalarType type = TypeOrThrow(tensor);
  try {
    return at::empty(tensor.layout.shape, type);
  } catch (const c10::Error&) {
    throw Failure(ErrorCode::kUndecodable, "tensor '" + tensor.name + "' has more elements than there is memory for");
  }
}

}  // namespace

std::optional<c10::ScalarType> ScalarTypeOf(DType dtype) {
  const auto* const row =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& one) { return one.dtype == dtype; });
  return row == kTypes.end() ? std::nullopt : std::optional(row->type);
}

std::optional<DType> DTypeOf(c10::ScalarType type) {
  const auto* const row =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& one) { return one.type == type; });
  return row == kTypes.end() ? std::nullopt : std::optional(row->dtype);
}

NamedTensors ReadTensors(const StoredCheckpoint& checkpoint, std::string_view prefix) {
  std::string refused;
  for (const RefusedValue& value : checkpoint.refused()) {
    if (std::string_view(value.name).starts_with(prefix)) refused += "\n  " + value.name + ": " + value.why;
  }
  if (!refused.empty()) throw Failure(ErrorCode::kUndecodable, "these values are not read:" + refused);
  std::map<std::size_t, at::Tensor> storages;  // As bytes.
  std::vector<StorageRead> reads;
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    if (!std::string_view(tensor.name).starts_with(prefix)) continue;
    TypeOrThrow(tensor);
    const std::size_t index = tensor.layout.storage;
    const auto [storage, is_new] = storages.try_emplace(index);
    if (!is_new) continue;
    storage->second = at::empty({static_cast<std::int64_t>(checkpoint.storages()[index].bytes)}, at::kByte);
    reads.push_back({index, BytesOf(storage->second)});
  }
  ValueOrThrow(checkpoint.ReadStorages(reads));
  NamedTensors tensors;
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    if (!std::string_view(tensor.name).starts_with(prefix)) continue;
    const c10::ScalarType type = TypeOrThrow(tensor);
    at::Tensor view = at::empty({0}, type);
    view.set_(storages.at(tensor.layout.storage).storage(), static_cast<std::int64_t>(tensor.layout.offset),
              tensor.layout.shape, tensor.layout.strides);
    view.requires_grad_(tensor.layout.requires_grad && (c10::isFloatingType(type) || c10::isComplexType(type)));
    tensors.emplace_back(tensor.name, std::move(view));
  }
  return tensors;
}

at::Tensor ReadTensor(const StoredCheckpoint& checkpoint, std::string_view name) {
  const StoredTensor tensor = ValueOrThrow(checkpoint.Find(name));
  at::Tensor read = EmptyOrThrow(tensor);
  ValueOrThrow(checkpoint.ReadTensor(tensor, BytesOf(read)));
  return read;
}

// ------------------------------------------------------------------------------------------------------- writing

struct StateDictWriter::Storages {
  // If tensors of two types share a storage, it is written once for each type.
  std::map<std::pair<const void*, DType>, std::size_t> known;
  std::vector<at::Tensor> kept;  // Keeps each storage alive.
};

StateDictWriter::StateDictWriter() : storages_(std::make_unique<Storages>()) {}
StateDictWriter::~StateDictWriter() = default;
StateDictWriter::StateDictWriter(StateDictWriter&&) noexcept = default;
StateDictWriter& StateDictWriter::operator=(StateDictWriter&&) noexcept = default;

pickled::Value StateDictWriter::OfTensor(const at::Tensor& tensor) {
  const auto dtype = HasElements(tensor) ? DTypeOf(tensor.scalar_type()) : std::nullopt;
  if (dtype == DType::kComplex32) {  // torch.ComplexHalfStorage does not exist.
    throw Failure(
        ErrorCode::kInvalidArgument,
        "a tensor of complex32 cannot be written, because torch.load() would not read it; save it as complex64");
  }
  if (!dtype) {
    throw Failure(ErrorCode::kInvalidArgument,
                  "a tensor that is undefined, sparse, quantised, nested or without memory cannot be written");
  }
  at::Tensor written = tensor.detach().cpu().resolve_conj().resolve_neg();
  if (written.storage().nbytes() % ElementBytes(*dtype) != 0) written = written.clone();
  const void* const identity = written.storage().unsafeGetStorageImpl();
  Storages& storages = Held(storages_, "StateDictWriter");
  const auto [known, is_new] = storages.known.try_emplace({identity, *dtype}, storages.kept.size());
  if (is_new) storages.kept.push_back(written);
  return {.any = TensorLayout{.dtype = *dtype,
                              .requires_grad = tensor.requires_grad(),
                              .storage = known->second,
                              .offset = static_cast<std::uint64_t>(written.storage_offset()),
                              .shape = written.sizes().vec(),
                              .strides = written.strides().vec()}};
}

pickled::Value StateDictWriter::OfTensors(const NamedTensors& tensors) {
  pickled::Dict dict{.kind = pickled::DictKind::kOrderedDict};
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : tensors) {
    if (name.empty() || !internal::IsUtf8(name)) {
      throw Failure(ErrorCode::kInvalidArgument, "a tensor's name is empty or not UTF-8");
    }
    if (!names.insert(name).second) {
      throw Failure(ErrorCode::kInvalidArgument, "two tensors have the name '" + name + "'");
    }
    dict.entries.push_back({{.any = name}, OfTensor(tensor)});
  }
  return {.any = std::move(dict)};
}

GatheredState StateDictWriter::Gather(pickled::Value root) && {
  return {.root = std::move(root), .storages = std::move(Held(storages_, "StateDictWriter").kept)};
}

void StateDictWriter::Write(pickled::Value root, const ByteSink& sink) && {
  TorchFileContents contents{.root = std::move(root)};
  const std::vector<at::Tensor>& kept = Held(storages_, "StateDictWriter").kept;
  for (const at::Tensor& tensor : kept) contents.storage_bytes.push_back(tensor.storage().nbytes());
  const StorageWriter write_storage = [&](std::size_t storage, const ByteSink& into) {
    return into(BytesOf(kept[storage].storage()));
  };
  ValueOrThrow(WriteTorchFile(contents, write_storage, sink));
}

}  // namespace gcsflux
