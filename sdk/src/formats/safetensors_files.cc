#include "formats/safetensors_files.h"

#include <algorithm>

#include "formats/bytes/format_error.h"

namespace gcsflux::internal {
namespace {

std::uint64_t BytesOf(DType dtype, std::span<const std::int64_t> shape) {
  return ElementCount(shape).value_or(0) * ElementBytes(dtype);  // The header's reader has checked it.
}

bool HasSlices(std::span<const SafetensorsHeader> headers) {
  if (headers.size() != 1) return true;
  const auto& tensors = headers.front().tensors;
  return std::any_of(tensors.begin(), tensors.end(), [](const SafeTensor& one) { return !one.saved_offsets.empty(); });
}

std::string WhyNoType(std::string_view type) { return "its type " + Shown(std::string(type)) + " is not read"; }

}  // namespace

Result<SafetensorsFiles> SafetensorsFiles::Open(std::string name, std::vector<ByteSource> files,
                                                std::vector<SafetensorsHeader> headers) {
  if (files.empty() || files.size() != headers.size()) {
    return Error{ErrorCode::kInvalidArgument, name + ": there must be one header for each file"};
  }
  SafetensorsFiles opened;
  opened.name_ = std::move(name);
  opened.files_ = std::move(files);
  for (SafetensorsHeader& header : headers) {
    for (auto& entry : header.metadata) opened.metadata_.push_back(std::move(entry));
  }
  std::sort(opened.metadata_.begin(), opened.metadata_.end());
  opened.metadata_.erase(std::unique(opened.metadata_.begin(), opened.metadata_.end()), opened.metadata_.end());
  if (HasSlices(headers)) {
    const auto joined = JoinSlices(headers);
    if (!joined) return joined.error();
    for (const JoinedTensor& tensor : *joined) opened.AddJoined(tensor, headers);
  } else {
    const std::size_t count = headers.front().tensors.size();
    opened.tensors_.reserve(count);
    opened.storages_.reserve(count);
    opened.first_part_.reserve(count + 1);
    opened.parts_.reserve(count);
    for (const SafeTensor& tensor : headers.front().tensors) opened.AddTensor(tensor);
  }
  opened.first_part_.push_back(opened.parts_.size());
  return opened;
}

void SafetensorsFiles::AddStorage(std::string name, DType dtype, std::vector<std::int64_t> shape) {
  TensorLayout layout{.dtype = dtype, .storage = storages_.size(), .shape = std::move(shape)};
  layout.strides = ContiguousStrides(layout.shape);
  storages_.push_back({.key = name, .bytes = BytesOf(dtype, layout.shape)});
  tensors_.push_back({.name = std::move(name), .layout = std::move(layout)});
  first_part_.push_back(parts_.size());
}

void SafetensorsFiles::AddTensor(const SafeTensor& tensor) {
  if (!tensor.dtype) {
    refused_.push_back({.name = tensor.name, .why = WhyNoType(tensor.type)});
    return;
  }
  AddStorage(tensor.name, *tensor.dtype, tensor.shape);
  parts_.push_back({.range = tensor.range, .begin = 0, .sum = tensor.crc32c});
}

void SafetensorsFiles::AddJoined(const JoinedTensor& tensor, std::span<const SafetensorsHeader> headers) {
  if (!tensor.dtype) {
    refused_.push_back({.name = tensor.name, .why = WhyNoType(tensor.type)});
    return;
  }
  AddStorage(tensor.name, *tensor.dtype, tensor.shape);
  const std::size_t first = parts_.size();
  for (const TensorSlice& slice : tensor.slices) {
    const SafeTensor& stored = headers[slice.file].tensors[slice.tensor];
    StoragePart part =
        PartOf(slice.file, stored.range, slice.offsets, stored.shape, tensor.shape, ElementBytes(*tensor.dtype));
    part.sum = stored.crc32c;
    parts_.push_back(std::move(part));
  }
  std::sort(parts_.begin() + static_cast<std::ptrdiff_t>(first), parts_.end(),
            [](const StoragePart& a, const StoragePart& b) { return a.begin < b.begin; });
}

bool SafetensorsFiles::IsVerifiable(std::size_t storage) const {
  return std::all_of(parts_.begin() + static_cast<std::ptrdiff_t>(first_part_[storage]),
                     parts_.begin() + static_cast<std::ptrdiff_t>(first_part_[storage + 1]),
                     [](const StoragePart& part) { return part.sum.has_value(); });
}

std::optional<std::uint32_t> SafetensorsFiles::Crc32c(std::size_t storage) const {
  if (first_part_[storage + 1] - first_part_[storage] != 1) return std::nullopt;
  return parts_[first_part_[storage]].sum;
}

}  // namespace gcsflux::internal
