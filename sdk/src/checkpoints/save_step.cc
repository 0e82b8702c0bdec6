#include "checkpoints/save_step.h"

#include <string_view>
#include <utility>

#include "checkpoints/safetensors_state.h"

namespace gcsflux::internal {
namespace {

constexpr CheckpointFormat kFormats[] = {CheckpointFormat::kTorchFile, CheckpointFormat::kSafetensors};

Result<void> WriteState(const StateContents& contents, CheckpointFormat format, const ByteSink& sink,
                        std::vector<StepTensor>& written) {
  if (format == CheckpointFormat::kTorchFile) return WriteStateFile(contents, sink, written);
  const auto tensors = PlainTensors(contents);
  if (!tensors.ok()) return tensors.error();
  return WriteSafetensorsState(contents, *tensors, sink, written);
}

}  // namespace

const char* StateFileName(CheckpointFormat format) {
  if (format == CheckpointFormat::kTorchFile) return "state.pt";
  return format == CheckpointFormat::kSafetensors ? "state.safetensors" : nullptr;
}

const StepFile* FindStateFile(const CheckpointManifest& manifest) {
  for (const StepFile& file : manifest.files) {
    for (const CheckpointFormat format : kFormats) {
      if (std::string_view(file.name).ends_with(std::string("-") + StateFileName(format))) return &file;
    }
  }
  return nullptr;
}

Result<SavedStep> SaveStep(StepWriter& writer, const StateContents& contents, StepToSave step,
                           const std::stop_token& stop) {
  CheckpointManifest& manifest = step.manifest;
  const CheckpointWriter write = [&](const ByteSink& sink) {
    return WriteState(contents, step.format, sink, manifest.tensors);
  };
  if (stop.stop_possible()) step.file.upload.stop = stop;
  auto file = writer.WriteFile(manifest.step, StateFileName(step.format), write, step.file);
  if (!file.ok()) return file.error();
  manifest.files = {*std::move(file)};
  auto stored = writer.Commit(std::move(manifest), step.mode);
  if (!stored.ok()) return stored.error();
  SavedStep saved{.stored = *std::move(stored)};
  if (!step.keep) return saved;
  auto kept = writer.Keep(*step.keep);
  if (kept.ok())
    saved.kept = *std::move(kept);
  else
    saved.keep_error = kept.error();
  return saved;
}

}  // namespace gcsflux::internal
