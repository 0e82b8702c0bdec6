#include <algorithm>

#include "formats/tensor_sequence.h"
#include "formats/tensors_only.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/checkpoints/safetensors.h"

namespace gcsflux {
namespace {

using internal::TensorSequence;

// A run's safetensors have their values in the metadata. A file of torch.save has a place for them.
bool KeepsValues(const StoredCheckpoint& checkpoint, CheckpointFormat format) {
  return format == CheckpointFormat::kTorchFile && IsSafetensors(checkpoint.format()) && checkpoint.HasValues();
}

Result<void> ToSafetensors(const StoredCheckpoint& checkpoint, const ByteSink& sink, bool has_checksums) {
  std::vector<StoredTensor> order = checkpoint.tensors();
  // In the order of writing, so that small ones are read together.
  std::sort(order.begin(), order.end(), internal::IsWrittenBefore);
  SafetensorsContents contents{.has_checksums = has_checksums};
  for (const StoredTensor& tensor : order) {
    contents.tensors.push_back({tensor.name, tensor.layout.dtype, tensor.layout.shape});
  }
  TensorSequence sequence(checkpoint, std::move(order));
  return WriteSafetensors(
      contents, [&](std::size_t tensor, const ByteSink& into) { return sequence.Give(tensor, into); }, sink);
}

Result<void> ToTorchFile(const StoredCheckpoint& checkpoint, const ByteSink& sink, bool has_values) {
  pickled::Dict dict{.kind = pickled::DictKind::kOrderedDict};
  TorchFileContents contents;
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    TensorLayout layout = tensor.layout;
    if (layout.dtype == DType::kComplex32) {  // torch.ComplexHalfStorage does not exist.
      return Error{ErrorCode::kInvalidArgument, checkpoint.name() + ": tensor '" + tensor.name +
                                                    "' is of complex32: torch.load() would not read a file with it"};
    }
    layout.storage = contents.storage_bytes.size();
    layout.offset = 0;
    layout.strides = ContiguousStrides(layout.shape);
    contents.storage_bytes.push_back(TensorBytes(layout));
    dict.entries.push_back({{.any = tensor.name}, {.any = std::move(layout)}});
  }
  contents.root = {.any = std::move(dict)};
  if (has_values) {
    auto root = checkpoint.ReadValue();  // In safetensors each tensor is a storage, in the same order.
    if (!root) return root.error();
    contents.root = *std::move(root);
  }
  TensorSequence sequence(checkpoint, checkpoint.tensors());
  return WriteTorchFile(
      contents, [&](std::size_t storage, const ByteSink& into) { return sequence.Give(storage, into); }, sink);
}

}  // namespace

Result<void> ConvertCheckpoint(const StoredCheckpoint& checkpoint, CheckpointFormat format, const ByteSink& sink,
                               const ConvertCheckpointOptions& options) {
  if (!options.is_tensors_only) {
    if (auto checked = internal::CheckTensorsOnly(checkpoint, KeepsValues(checkpoint, format)); !checked) {
      return checked;
    }
  }
  if (format == CheckpointFormat::kSafetensors) return ToSafetensors(checkpoint, sink, options.has_checksums);
  const bool has_values = !options.is_tensors_only && KeepsValues(checkpoint, format);
  if (format == CheckpointFormat::kTorchFile) return ToTorchFile(checkpoint, sink, has_values);
  return Error{ErrorCode::kInvalidArgument, checkpoint.name() +
                                                ": it can become a file of torch.save or safetensors, "
                                                "and not " +
                                                std::string(FormatName(format))};
}

}  // namespace gcsflux
