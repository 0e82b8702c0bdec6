#include "torch/state_dict_writer.h"

#include <set>

#include "base/text/utf8.h"
#include "formats/torch_file_writer.h"
#include "torch/failure.h"
#include "torch/scalar_types.h"
#include "torch/tensor_bytes.h"

namespace gcsflux {

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
  const auto [known, is_new] = known_.try_emplace({identity, *dtype}, kept_.size());
  if (is_new) kept_.push_back(written);
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
  return {.root = std::move(root), .storages = std::move(kept_)};
}

void WriteTorchFile(const GatheredState& state, const ByteSink& sink) {
  TorchFileContents contents{.root = state.root};
  for (const at::Tensor& tensor : state.storages) contents.storage_bytes.push_back(tensor.storage().nbytes());
  const StorageWriter write_storage = [&](std::size_t storage, const ByteSink& into) {
    return into(BytesOf(state.storages[storage].storage()));
  };
  ValueOrThrow(WriteTorchFile(contents, write_storage, sink));
}

}  // namespace gcsflux
