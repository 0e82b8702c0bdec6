#include <algorithm>
#include <map>
#include <utility>

#include "formats/bytes/boxes.h"
#include "formats/bytes/format_error.h"
#include "formats/safetensors/safetensors.h"

namespace gcsflux {
namespace {

using internal::Shown;
using internal::Undecodable;

const SafeTensor& TensorOf(std::span<const SafetensorsHeader> headers, const TensorSlice& slice) {
  return headers[slice.file].tensors[slice.tensor];
}

Result<void> AddSlice(JoinedTensor& whole, const SafetensorsHeader& header, const SafeTensor& tensor,
                      TensorSlice slice) {
  if (whole.slices.empty()) {
    whole.type = tensor.type;
    whole.dtype = tensor.dtype;
    whole.shape = tensor.shape;
  } else if (tensor.shape.empty() || whole.slices.front().offsets.empty() || slice.offsets.empty()) {
    return Undecodable(header.file, "", tensor.range.begin,
                       "tensor " + Shown(tensor.name) + " is in another file too, and is not a slice");
  } else if (whole.type != tensor.type || whole.slices.front().offsets.size() != slice.offsets.size()) {
    return Undecodable(header.file, "", tensor.range.begin,
                       "the slices of tensor " + Shown(tensor.name) + " differ in type or dimensions");
  }
  whole.slices.push_back(std::move(slice));
  return {};
}

// Ranks without rows have slices without elements, which may lie anywhere. If all are such slices, the tensor has no
// elements.
void LeaveOutEmpty(std::span<const SafetensorsHeader> headers, JoinedTensor& whole) {
  const auto is_empty = [&](const TensorSlice& slice) { return ElementCount(TensorOf(headers, slice).shape) == 0; };
  if (!std::ranges::all_of(whole.slices, is_empty)) std::erase_if(whole.slices, is_empty);
}

// Sets the shape in which all slices lie. False if they leave a hole there, or overlap.
bool Join(std::span<const SafetensorsHeader> headers, JoinedTensor& whole) {
  whole.shape.assign(whole.slices.front().offsets.size(), 0);
  std::vector<internal::Box> boxes;
  for (const TensorSlice& slice : whole.slices) {
    const std::vector<std::int64_t>& sizes = TensorOf(headers, slice).shape;
    boxes.push_back({slice.offsets, sizes});
    for (std::size_t i = 0; i < whole.shape.size(); ++i) {
      std::int64_t reached = 0;
      if (__builtin_add_overflow(slice.offsets[i], sizes[i], &reached)) return false;
      whole.shape[i] = std::max(whole.shape[i], reached);
    }
  }
  return internal::DoTile(boxes, whole.shape);
}

}  // namespace

Result<std::vector<JoinedTensor>> JoinSlices(std::span<const SafetensorsHeader> headers) {
  std::map<std::string, JoinedTensor> by_name;
  for (std::size_t file = 0; file < headers.size(); ++file) {
    for (std::size_t i = 0; i < headers[file].tensors.size(); ++i) {
      const SafeTensor& tensor = headers[file].tensors[i];
      TensorSlice slice{.file = file, .tensor = i, .offsets = tensor.saved_offsets};
      auto added = AddSlice(by_name[tensor.name], headers[file], tensor, std::move(slice));
      if (!added) return added.error();
    }
  }
  std::vector<JoinedTensor> joined;
  joined.reserve(by_name.size());
  for (auto& [name, whole] : by_name) {
    whole.name = name;
    if (whole.slices.front().offsets.empty()) {
      whole.slices.front().offsets.assign(whole.shape.size(), 0);
    } else if (LeaveOutEmpty(headers, whole); !Join(headers, whole)) {
      return Undecodable(
          headers[whole.slices.front().file].file, "", TensorOf(headers, whole.slices.front()).range.begin,
          "the slices of tensor " + Shown(name) + " do not make a whole: one is missing, or they overlap");
    }
    joined.push_back(std::move(whole));
  }
  return joined;
}

}  // namespace gcsflux
