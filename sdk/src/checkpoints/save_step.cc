#include "checkpoints/save_step.h"

#include <utility>

namespace gcsflux::internal {

Result<SavedStep> SaveStep(StepWriter& writer, const StateContents& contents, StepToSave step,
                           const std::stop_token& stop) {
  CheckpointManifest& manifest = step.manifest;
  const CheckpointWriter write = [&](const ByteSink& sink) { return WriteStateFile(contents, sink, manifest.tensors); };
  if (stop.stop_possible()) step.file.upload.stop = stop;
  auto file = writer.WriteFile(manifest.step, kStateFile, write, step.file);
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
