#include "checkpoints/safetensors_state.h"

#include <utility>

#include "base/crc32c.h"
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
  std::uint64_t position = 0;
  const ByteSink counting = [&](std::span<const std::byte> bytes) {
    position += bytes.size();
    return sink(bytes);
  };
  // Each tensor is requested twice: for its checksum, and then for the file. The second position is the one in the
  // file.
  std::vector<std::uint64_t> begins(tensors.size());
  const TensorWriter write = [&](std::size_t index, const ByteSink& into) {
    begins[index] = position;
    return into(tensors[index]->bytes);
  };
  if (auto done = WriteSafetensors(file, write, counting); !done) return done;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    written.push_back({.name = tensors[i]->name,
                       .range = {begins[i], begins[i] + tensors[i]->bytes.size()},
                       .dtype = tensors[i]->dtype,
                       .shape = tensors[i]->shape,
                       .crc32c = ExtendCrc32c(0, tensors[i]->bytes)});
  }
  return {};
}

}  // namespace gcsflux::internal
