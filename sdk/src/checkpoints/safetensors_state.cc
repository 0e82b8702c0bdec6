#include "checkpoints/safetensors_state.h"

#include <utility>

#include "formats/bytes/format_error.h"
#include "formats/bytes/tensor_layout.h"
#include "formats/safetensors/safetensors.h"
#include "formats/state_json.h"

namespace gcsflux::internal {
Result<std::vector<PlainTensor>> PlainTensors(const StateContents& contents) {
  std::vector<PlainTensor> tensors;
  for (const NamedLayout& named : NamedLayouts(contents.root)) {
    const TensorLayout& layout = *named.layout;
    const auto storage = contents.storages[layout.storage];
    const auto touched = TouchedBytes(layout, storage.size());
    const auto count = ElementCount(layout.shape);
    if (!touched || !count) {
      return Error{ErrorCode::kInvalidArgument, "tensor " + Shown(named.name) + " lies outside its storage"};
    }
    PlainTensor& tensor =
        tensors.emplace_back(PlainTensor{.name = named.name, .dtype = layout.dtype, .shape = layout.shape});
    const auto bytes =
        storage.subspan(static_cast<std::size_t>(touched->begin), static_cast<std::size_t>(touched->size()));
    if (IsContiguous(layout)) {
      tensor.bytes = bytes;
      continue;
    }
    tensor.gathered.resize(static_cast<std::size_t>(*count) * ElementBytes(layout.dtype));
    GatherElements(layout, bytes, std::as_writable_bytes(std::span(tensor.gathered)));
  }
  // Now their addresses are stable.
  for (PlainTensor& tensor : tensors) {
    if (!tensor.gathered.empty()) tensor.bytes = std::as_bytes(std::span(tensor.gathered));
  }
  return tensors;
}

Result<void> WriteSafetensorsState(const StateContents& contents, const std::vector<const PlainTensor*>& tensors,
                                   const ByteSink& sink, std::vector<StepTensor>& written) {
  auto values = FormatState(contents.root);
  if (!values) return values.error();
  SafetensorsContents file{.metadata = {{"format", "pt"}, {kStateKey, *std::move(values)}}};
  for (const PlainTensor* const tensor : tensors) {
    file.tensors.push_back({tensor->name, tensor->dtype, tensor->shape});
  }
  const TensorWriter write = [&](std::size_t index, const ByteSink& into) { return into(tensors[index]->bytes); };
  const auto placed = WriteSafetensors(file, write, sink);
  if (!placed) return placed.error();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    written.push_back({.name = tensors[i]->name,
                       .range = (*placed)[i].range,
                       .dtype = tensors[i]->dtype,
                       .shape = tensors[i]->shape,
                       .crc32c = (*placed)[i].crc32c});
  }
  return {};
}

}  // namespace gcsflux::internal
