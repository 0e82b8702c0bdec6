#include <algorithm>
#include <string>
#include <utility>

#include "checkpoints/write_checkpoint.h"
#include "formats/bytes/format_error.h"
#include "formats/safetensors/safetensors.h"
#include "formats/safetensors/safetensors_types.h"
#include "formats/state_json.h"
#include "gcsflux/checkpoints/checkpoint.h"

namespace gcsflux {
namespace {

using internal::Shown;

constexpr std::string_view kFormatKey = "format";

Error Refuse(const std::string& uri, const std::string& why) {
  return {ErrorCode::kInvalidArgument, "SaveTensors to " + uri + ": " + why};
}

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

Result<void> CheckTensor(const std::string& uri, const TensorWrite& tensor) {
  if (tensor.name.empty()) return Refuse(uri, "a tensor has no name");
  const auto count = ElementCount(tensor.shape);
  const std::size_t width = ElementBytes(tensor.dtype);
  if (count && tensor.elements.size() % width == 0 && *count == tensor.elements.size() / width) return {};
  return Refuse(uri, "tensor " + Shown(std::string(tensor.name)) + " of " + std::string(DTypeName(tensor.dtype)) + " " +
                         ShapeText(tensor.shape) + " is given " + std::to_string(tensor.elements.size()) +
                         " bytes, which are not its elements");
}

// Names that readers of this library give a meaning.
bool IsReserved(std::string_view key) {
  return key == internal::kStateKey || key == internal::kSlicesName || key.starts_with(internal::kChecksumPrefix);
}

}  // namespace

Result<ObjectMetadata> SaveTensors(const Client& client, const std::string& uri, std::span<const TensorWrite> tensors,
                                   const std::vector<std::pair<std::string, std::string>>& metadata,
                                   const UploadOptions& options) {
  SafetensorsContents contents{.metadata = metadata};
  const auto is_format = [](const auto& item) { return item.first == kFormatKey; };
  if (std::ranges::none_of(metadata, is_format)) contents.metadata.emplace_back(kFormatKey, "pt");
  for (const auto& [key, value] : metadata) {
    if (IsReserved(key)) return Refuse(uri, "the metadata's name " + Shown(key) + " is reserved; choose another one");
  }
  for (const TensorWrite& tensor : tensors) {
    if (auto checked = CheckTensor(uri, tensor); !checked) return checked.error();
    contents.tensors.push_back({std::string(tensor.name), tensor.dtype, tensor.shape});
  }
  // Refuses the rest before the first byte goes to the sink.
  const auto write = [&](const ByteSink& sink) -> Result<void> {
    const auto placed = WriteSafetensors(
        contents, [&](std::size_t index, const ByteSink& into) { return into(tensors[index].elements); }, sink);
    return placed ? Result<void>() : placed.error();
  };
  return WriteCheckpoint(client, uri, write, options);
}

}  // namespace gcsflux
