#include "gcsflux/torch/state_dict.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <map>

#include "formats/checkpoint_reader.h"
#include "torch/failure.h"
#include "torch/scalar_types.h"
#include "torch/tensor_bytes.h"

namespace gcsflux {
namespace {

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
    storage->second = at::empty({static_cast<std::int64_t>(checkpoint.reader().storages()[index].bytes)}, at::kByte);
    reads.push_back({index, BytesOf(storage->second)});
  }
  ValueOrThrow(checkpoint.reader().ReadStorages(reads));
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

}  // namespace gcsflux
