#include "formats/convert_checkpoint.h"

#include <algorithm>
#include <utility>

#include "formats/bytes/format_error.h"
#include "formats/checkpoint_reader.h"
#include "formats/safetensors/safetensors_types.h"
#include "formats/state_json.h"
#include "formats/tensor_sequence.h"
#include "formats/torch_file_writer.h"

namespace gcsflux::internal {
namespace {

constexpr std::string_view kTensorsOnly =
    "; convert the tensors only (ConvertOptions::is_tensors_only, --tensors_only)";

// Containers are read up to 256 levels deep, so this recursion ends.
class LeafNames {
 public:
  void Visit(const pickled::Value& value, const std::string& name) {
    if (const auto* const dict = value.As<pickled::Dict>()) {
      for (const auto& [key, item] : dict->entries) Visit(item, Below(name, TextOf(key)));
    } else if (const auto* const list = value.As<pickled::List>()) {
      VisitAll(list->items, name);
    } else if (const auto* const tuple = value.As<pickled::Tuple>()) {
      VisitAll(tuple->items, name);
    } else if (value.As<TensorLayout>() == nullptr) {
      names_.push_back(name);
    }
  }
  std::vector<std::string> Take() && { return std::move(names_); }

 private:
  static std::string Below(const std::string& name, const std::string& child) {
    return name.empty() ? child : name + "." + child;
  }
  static std::string TextOf(const pickled::Value& key) {
    if (const auto* const text = key.As<std::string>()) return *text;
    if (const auto* const number = key.As<std::int64_t>()) return std::to_string(*number);
    return "#";
  }
  void VisitAll(const std::vector<pickled::Value>& items, const std::string& name) {
    for (std::size_t i = 0; i < items.size(); ++i) Visit(items[i], Below(name, std::to_string(i)));
  }

  std::vector<std::string> names_;
};

// Each tensor has its own storage, in the same order.
bool HasStorageForEach(CheckpointFormat format) {
  return IsSafetensors(format) || format == CheckpointFormat::kDistributed;
}

// A run's safetensors have their values in the metadata, and distributed checkpoints beside the tensors. A file of
// torch.save has a place for them.
bool KeepsValues(const StoredCheckpoint& checkpoint, CheckpointFormat format) {
  return format == CheckpointFormat::kTorchFile && HasStorageForEach(checkpoint.format()) &&
         checkpoint.reader().HasValues();
}

Result<void> ToSafetensors(const StoredCheckpoint& checkpoint, const ByteSink& sink) {
  std::vector<StoredTensor> order = checkpoint.tensors();
  // In the order of writing, so that small ones are read together.
  std::sort(order.begin(), order.end(), IsWrittenBefore);
  SafetensorsContents contents;
  for (const StoredTensor& tensor : order) {
    contents.tensors.push_back({tensor.name, tensor.layout.dtype, tensor.layout.shape});
  }
  TensorSequence sequence(checkpoint, std::move(order));
  const auto written = WriteSafetensors(
      contents, [&](std::size_t tensor, const ByteSink& into) { return sequence.Give(tensor, into); }, sink);
  return written ? Result<void>() : written.error();
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
    auto root = checkpoint.reader().ReadValue();  // HasStorageForEach()
    if (!root) return root.error();
    contents.root = *std::move(root);
  }
  TensorSequence sequence(checkpoint, checkpoint.tensors());
  return WriteTorchFile(
      contents, [&](std::size_t storage, const ByteSink& into) { return sequence.Give(storage, into); }, sink);
}

}  // namespace

Result<std::vector<std::string>> OtherValues(const StoredCheckpoint& checkpoint) {
  LeafNames leaves;
  if (!IsSafetensors(checkpoint.format())) {
    const auto root = checkpoint.reader().ReadValue();
    if (!root) return root.error();
    leaves.Visit(*root, "");
  }
  std::vector<std::string> names = std::move(leaves).Take();
  for (const RefusedValue& value : checkpoint.refused()) names.push_back(value.name);
  for (const auto& [key, value] : checkpoint.metadata()) {
    // Once slices are joined, their offsets say nothing more.
    if (key != "format" && key != kSlicesName) names.push_back("__metadata__." + key);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Result<void> CheckTensorsOnly(const StoredCheckpoint& checkpoint, bool keeps_values) {
  auto others = OtherValues(checkpoint);
  if (!others) return others.error();
  if (keeps_values) std::erase(*others, std::string("__metadata__.") + kStateKey);
  if (others->empty()) return {};
  constexpr std::size_t kShown = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(others->size(), kShown); ++i) {
    names += (i == 0 ? "" : ", ") + Shown((*others)[i]);
  }
  if (others->size() > kShown) names += " and " + std::to_string(others->size() - kShown) + " more";
  return Error{ErrorCode::kInvalidArgument, checkpoint.name() +
                                                ": it holds more than tensors, which the other format has no place "
                                                "for: " +
                                                names + std::string(kTensorsOnly) + ", or keep the format"};
}

Result<void> WriteConverted(const StoredCheckpoint& checkpoint, CheckpointFormat format, const ByteSink& sink,
                            bool is_tensors_only) {
  const bool has_values = !is_tensors_only && KeepsValues(checkpoint, format);
  const bool keeps_all = has_values && checkpoint.format() == CheckpointFormat::kDistributed;
  if (!is_tensors_only && !keeps_all) {
    if (auto checked = CheckTensorsOnly(checkpoint, has_values); !checked) return checked;
  }
  if (format == CheckpointFormat::kSafetensors) return ToSafetensors(checkpoint, sink);
  if (format == CheckpointFormat::kTorchFile) {
    auto written = ToTorchFile(checkpoint, sink, has_values);
    const bool is_refused = !written && keeps_all && written.error().code == ErrorCode::kInvalidArgument;
    if (!is_refused) return written;
    return Error{ErrorCode::kInvalidArgument, written.error().message + std::string(kTensorsOnly)};
  }
  return Error{ErrorCode::kInvalidArgument, checkpoint.name() +
                                                ": it can become a file of torch.save or safetensors, and not " +
                                                std::string(FormatName(format))};
}

}  // namespace gcsflux::internal
