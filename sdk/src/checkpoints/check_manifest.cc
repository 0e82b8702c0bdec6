#include "checkpoints/check_manifest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "base/text/utf8.h"
#include "checkpoints/step_names.h"
#include "formats/bytes/boxes.h"
#include "formats/bytes/format_error.h"
#include "formats/bytes/tensor_layout.h"

namespace gcsflux::internal {
namespace {

using Wrong = std::optional<std::string>;

constexpr std::size_t kMostDimensions = 64;
constexpr std::size_t kMostNameBytes = 700;  // The service allows 1024, the run's prefix included.

Wrong CheckFile(const StepFile& file) {
  if (!StepOfFile(file.name) || !IsUtf8(file.name) || file.name.size() > kMostNameBytes) {
    return "file " + Shown(file.name) + " does not lie in a folder of a step";
  }
  if (file.generation <= 0) return "file " + Shown(file.name) + " has no generation";
  return std::nullopt;
}

// True if a tensor of this form touches exactly the bytes of its range.
bool FillsItsRange(const StepTensor& tensor) {
  if (!ElementCount(tensor.shape)) return false;
  const TensorLayout layout{.dtype = tensor.dtype,
                            .shape = tensor.shape,
                            .strides = tensor.strides.empty() ? ContiguousStrides(tensor.shape) : tensor.strides};
  if (layout.strides.size() != layout.shape.size()) return false;
  const auto touched = TouchedBytes(layout, tensor.range.size());
  return touched && touched->size() == tensor.range.size();
}

Wrong CheckTensor(const StepTensor& tensor, const CheckpointManifest& manifest) {
  const std::string name = "tensor " + Shown(tensor.name);
  if (!IsUtf8(tensor.name)) return name + " has a name that is not UTF-8";
  if (tensor.file >= manifest.files.size()) return name + " is in a file that the manifest does not name";
  if (tensor.range.begin > tensor.range.end || tensor.range.end > manifest.files[tensor.file].size) {
    return name + " lies outside its file";
  }
  if (tensor.shape.size() > kMostDimensions || !FillsItsRange(tensor)) {
    return name + " has a shape that does not fit its bytes";
  }
  const auto is_negative = [](std::int64_t offset) { return offset < 0; };
  const bool has_offsets = tensor.offsets.empty() || tensor.offsets.size() == tensor.shape.size();
  if (!has_offsets || std::any_of(tensor.offsets.begin(), tensor.offsets.end(), is_negative)) {
    return name + " has offsets that make no sense";
  }
  if (!tensor.whole_shape.empty() && !IsWithin({tensor.offsets, tensor.shape}, tensor.whole_shape)) {
    return name + " has a slice that lies outside the whole";
  }
  return std::nullopt;
}

// Checks that the slices make whole tensors. Each slice already lies within its whole.
Wrong CheckSlices(const CheckpointManifest& manifest) {
  std::map<std::string_view, std::vector<const StepTensor*>> by_name;
  for (const StepTensor& tensor : manifest.tensors) {
    if (!tensor.whole_shape.empty()) by_name[tensor.name];
  }
  for (const StepTensor& tensor : manifest.tensors) {
    if (const auto found = by_name.find(tensor.name); found != by_name.end()) found->second.push_back(&tensor);
  }
  for (const auto& [name, slices] : by_name) {
    std::vector<Box> boxes;
    for (const StepTensor* const slice : slices) {
      if (slice->dtype != slices.front()->dtype || slice->whole_shape != slices.front()->whole_shape) {
        return "the slices of tensor " + Shown(std::string(name)) + " differ in the type or shape of the whole";
      }
      boxes.push_back({slice->offsets, slice->shape});
    }
    if (DoTile(boxes, slices.front()->whole_shape)) continue;
    return "the slices of tensor " + Shown(std::string(name)) + " do not make a whole: one is missing, or they overlap";
  }
  return std::nullopt;
}

Wrong CheckTexts(const CheckpointManifest& manifest) {
  if (!IsUtf8(manifest.run) || !IsUtf8(manifest.writer)) return "the names of the run and the writer must be UTF-8";
  for (const auto& [key, value] : manifest.metadata) {
    if (!IsUtf8(key) || !IsUtf8(value)) return "the metadata " + Shown(key) + " is not UTF-8";
  }
  for (const auto& [name, value] : manifest.metrics) {
    if (!IsUtf8(name)) return "the metric " + Shown(name) + " has a name that is not UTF-8";
    if (!std::isfinite(value)) return "the metric " + Shown(name) + " is not a finite number";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> WhatIsWrongWithoutFiles(const CheckpointManifest& manifest) {
  if (manifest.step < 0 || manifest.step > kMaxStep) {
    return "steps go from 0 to " + std::to_string(kMaxStep) + ", and this one is " + std::to_string(manifest.step);
  }
  return CheckTexts(manifest);
}

std::optional<std::string> WhatIsWrongWith(const CheckpointManifest& manifest) {
  if (auto wrong = WhatIsWrongWithoutFiles(manifest)) return wrong;
  if (manifest.files.empty()) return "it names no file";
  std::set<std::string_view> names;
  for (const StepFile& file : manifest.files) {
    if (auto wrong = CheckFile(file)) return wrong;
    if (!names.insert(file.name).second) return "file " + Shown(file.name) + " is there twice";
  }
  for (const StepTensor& tensor : manifest.tensors) {
    if (auto wrong = CheckTensor(tensor, manifest)) return wrong;
  }
  return CheckSlices(manifest);
}

}  // namespace gcsflux::internal
