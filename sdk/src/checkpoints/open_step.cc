#include "checkpoints/open_step.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "checkpoints/byte_sources.h"
#include "checkpoints/save_step.h"
#include "formats/bytes/format_error.h"
#include "formats/cached_ends.h"
#include "formats/checkpoint_reader.h"
#include "formats/safetensors/safetensors_types.h"
#include "formats/state_json.h"

namespace gcsflux::internal {
namespace {

Error NotOfARun(const StepStore& steps, const CheckpointManifest& manifest, const std::string& why) {
  return {ErrorCode::kUndecodable, "step " + std::to_string(manifest.step) + " of " + steps.uri() + " " + why +
                                       "; CheckpointRun did not save it: open its files"};
}

bool IsInOneFile(const CheckpointManifest& manifest, std::size_t own) {
  return std::all_of(manifest.tensors.begin(), manifest.tensors.end(),
                     [&](const StepTensor& tensor) { return tensor.file == own; });
}

Result<std::shared_ptr<const ObjectReader>> OpenFile(const StepStore& steps, const StepFile& file,
                                                     const ObjectReaderOptions& options) {
  auto reader = steps.OpenFile(file, options);
  if (!reader) return reader.error();
  return std::make_shared<const ObjectReader>(*std::move(reader));
}

// A header of the file that has only the step's tensors, made from the manifest.
Result<SafetensorsHeader> HeaderOf(const StepStore& steps, const CheckpointManifest& manifest, std::size_t file) {
  SafetensorsHeader header{.file = manifest.files[file].name};
  for (const StepTensor& tensor : manifest.tensors) {
    if (tensor.file != file) continue;
    const SafeType* const type = FindSafeType(tensor.dtype);
    if (type == nullptr || !tensor.strides.empty()) {
      return NotOfARun(steps, manifest, "has a tensor " + Shown(tensor.name) + " that safetensors cannot hold");
    }
    header.tensors.push_back({.name = tensor.name,
                              .type = std::string(type->name),
                              .dtype = tensor.dtype,
                              .shape = tensor.shape,
                              .range = tensor.range,
                              .crc32c = tensor.crc32c,
                              .saved_offsets = tensor.offsets});
  }
  return header;
}

// Reads the header of the step's own file, if there is one, because it has the values. The manifest says what the files
// have.
Result<OpenedStep> OpenShared(const StepStore& steps, const CheckpointManifest& manifest, std::size_t own,
                              const ObjectReaderOptions& options) {
  std::vector<ByteSource> sources;
  std::vector<SafetensorsHeader> headers;
  std::shared_ptr<const ObjectReader> own_file;
  for (std::size_t i = 0; i < manifest.files.size(); ++i) {
    auto reader = OpenFile(steps, manifest.files[i], options);
    if (!reader) return reader.error();
    ByteSource source = SourceOf(*reader);
    if (i == own) {
      own_file = *std::move(reader);
      auto kept = WithCachedEnds(std::move(source), {.tail = 0});
      if (!kept) return kept.error();
      source = *std::move(kept);
    }
    auto header = HeaderOf(steps, manifest, i);
    if (!header) return header.error();
    if (i == own) {
      auto stored = ReadSafetensorsHeader(source);
      if (!stored) return stored.error();
      header->metadata = std::move(stored->metadata);
    }
    sources.push_back(std::move(source));
    headers.push_back(*std::move(header));
  }
  const std::string name =
      steps.uri() + (own < manifest.files.size() ? manifest.files[own].name : "step " + std::to_string(manifest.step));
  auto checkpoint = OpenSafetensorsFiles(name, std::move(sources), std::move(headers));
  if (!checkpoint) return checkpoint.error();
  return OpenedStep{std::move(own_file), *std::move(checkpoint)};
}

}  // namespace

Result<OpenedStep> OpenStepFiles(const StepStore& steps, const CheckpointManifest& manifest,
                                 const ObjectReaderOptions& options) {
  const StepFile* const file = FindStateFile(manifest);
  const auto is_safetensors = [](const StepFile& one) { return one.name.ends_with(".safetensors"); };
  if (file == nullptr && std::ranges::all_of(manifest.files, is_safetensors)) {
    return OpenShared(steps, manifest, manifest.files.size(), options);
  }
  if (file == nullptr) return NotOfARun(steps, manifest, "has no file of values");
  const auto own = static_cast<std::size_t>(file - manifest.files.data());
  if (!IsInOneFile(manifest, own)) return OpenShared(steps, manifest, own, options);
  auto reader = OpenFile(steps, *file, options);
  if (!reader) return reader.error();
  auto checkpoint = StoredCheckpoint::Open(SourceOf(*reader));
  if (!checkpoint) return checkpoint.error();
  return OpenedStep{*std::move(reader), *std::move(checkpoint)};
}

Result<StoredCheckpoint> DescribeStep(const CheckpointManifest& manifest, const std::string& values) {
  SafetensorsHeader header{.file = "step " + std::to_string(manifest.step)};
  if (!values.empty()) header.metadata.emplace_back(kStateKey, values);
  std::set<std::string_view> names;
  std::uint64_t end = 0;
  for (const StepTensor& tensor : manifest.tensors) {
    if (!names.insert(tensor.name).second) continue;  // Another slice of it.
    const auto& shape = tensor.whole_shape.empty() ? tensor.shape : tensor.whole_shape;
    const std::uint64_t begin = end;
    end += ElementCount(shape).value_or(0) * ElementBytes(tensor.dtype);
    header.tensors.push_back({.name = tensor.name,
                              .type = std::string(DTypeName(tensor.dtype)),
                              .dtype = tensor.dtype,
                              .shape = shape,
                              .range = {begin, end}});
  }
  ByteSource nothing{
      .name = header.file, .size = end, .read_at = [](std::uint64_t, std::span<std::byte>) -> Result<void> {
        return Error{ErrorCode::kInvalidArgument, "a step's description has no bytes"};
      }};
  std::string name = header.file;
  std::vector<SafetensorsHeader> headers;
  headers.push_back(std::move(header));
  return OpenSafetensorsFiles(std::move(name), {std::move(nothing)}, std::move(headers));
}

}  // namespace gcsflux::internal
