#include "checkpoints/save_step.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/either_stop.h"
#include "checkpoints/safetensors_state.h"
#include "checkpoints/stop_requests.h"

namespace gcsflux::internal {
namespace {

/// The most files of earlier steps that a step names. If there would be more, it sends all tensors. Each file costs a
/// request, and the whole file is kept.
constexpr std::size_t kMostOlderFiles = 16;

Result<void> WriteOwnFile(StepWriter& writer, StepToSave& step, const CheckpointWriter& write) {
  auto file = writer.WriteFile(step.manifest.step, StateFileName(step.format), write, step.file);
  if (!file) return file.error();
  step.manifest.files = {*std::move(file)};
  return {};
}

// The step is saved; removes what the rules do not keep.
SavedStep Kept(StepWriter& writer, const StoredStep& stored, const std::optional<KeepRules>& rules) {
  SavedStep saved{.step = StepOf(stored)};
  if (!rules) return saved;
  auto kept = writer.Keep(*rules);
  if (kept)
    saved.kept = *std::move(kept);
  else
    saved.keep_error = kept.error();
  return saved;
}

/// A save of the tensors that differ from those of the last step.
class PartialSave {
 public:
  PartialSave(StepWriter& writer, const StateContents& contents, std::vector<PlainTensor> tensors)
      : writer_(writer), contents_(contents), tensors_(std::move(tensors)) {}

  Result<SavedStep> Run(CommittedTensors& last, StepToSave step) {
    std::vector<const StoredPlace*> places = last.FindEqual(tensors_);
    auto pinned = Pin(places);
    if (pinned == nullptr) places.assign(tensors_.size(), nullptr);
    if (auto written = Write(places, step); !written) return written.error();
    const auto stored = writer_.Commit(std::move(step.manifest), step.mode);
    if (!stored) return stored.error();
    last.Learn(tensors_, stored->manifest);
    return Kept(writer_, *stored, step.keep);
  }

 private:
  static std::vector<StepFile> FilesOf(const std::vector<const StoredPlace*>& places) {
    std::vector<StepFile> files;
    for (const StoredPlace* const place : places) {
      if (place != nullptr && std::find(files.begin(), files.end(), place->file) == files.end()) {
        files.push_back(place->file);
      }
    }
    return files;
  }

  // Null if the files cannot be named: too many, gone, or about to be removed.
  std::shared_ptr<const void> Pin(const std::vector<const StoredPlace*>& places) {
    const std::vector<StepFile> files = FilesOf(places);
    if (files.empty() || files.size() > kMostOlderFiles) return nullptr;
    auto pinned = writer_.Pin(files);
    if (pinned == nullptr || !writer_.store().HasFiles(files).ok()) return nullptr;
    return pinned;
  }

  Result<void> Write(const std::vector<const StoredPlace*>& places, StepToSave& step) {
    std::vector<const PlainTensor*> changed;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (places[i] == nullptr) changed.push_back(&tensors_[i]);
    }
    CheckpointManifest& manifest = step.manifest;
    const CheckpointWriter write = [&](const ByteSink& sink) {
      return WriteSafetensorsState(contents_, changed, sink, manifest.tensors);
    };
    if (auto written = WriteOwnFile(writer_, step, write); !written) return written;
    for (const StoredPlace* const place : places) {
      if (place == nullptr) continue;
      auto& files = manifest.files;
      const auto file = std::find(files.begin(), files.end(), place->file);
      StepTensor& tensor = manifest.tensors.emplace_back(place->tensor);
      tensor.file = static_cast<std::size_t>(file - files.begin());
      if (file == files.end()) files.push_back(place->file);
    }
    return {};
  }

  StepWriter& writer_;
  const StateContents& contents_;
  const std::vector<PlainTensor> tensors_;
};

Result<SavedStep> SaveChanged(StepWriter& writer, const StateContents& contents, CommittedTensors& last,
                              StepToSave step) {
  auto tensors = PlainTensors(contents);
  if (!tensors) return tensors.error();
  return PartialSave(writer, contents, *std::move(tensors)).Run(last, std::move(step));
}

Result<SavedStep> SaveAll(StepWriter& writer, const StateContents& contents, StepToSave step) {
  const CheckpointWriter write = [&](const ByteSink& sink) -> Result<void> {
    if (step.format == CheckpointFormat::kTorchFile) return WriteStateFile(contents, sink, step.manifest.tensors);
    const auto tensors = PlainTensors(contents);
    if (!tensors) return tensors.error();
    std::vector<const PlainTensor*> all;
    for (const PlainTensor& tensor : *tensors) all.push_back(&tensor);
    return WriteSafetensorsState(contents, all, sink, step.manifest.tensors);
  };
  if (auto written = WriteOwnFile(writer, step, write); !written) return written.error();
  const auto stored = writer.Commit(std::move(step.manifest), step.mode);
  return stored ? Kept(writer, *stored, step.keep) : Result<SavedStep>(stored.error());
}

Result<SavedStep> SaveAllOrChanged(StepWriter& writer, const StateContents& contents, StepToSave step) {
  if (auto checked = writer.CheckStep(step.manifest, step.mode); !checked) return checked.error();
  LastCommitted* const holder = step.last;
  auto last = holder == nullptr ? nullptr : holder->Take();
  if (last == nullptr) return SaveAll(writer, contents, std::move(step));
  auto saved = SaveChanged(writer, contents, *last, std::move(step));
  holder->GiveBack(std::move(last));
  return saved;
}

}  // namespace

const char* StateFileName(CheckpointFormat format) {
  if (format == CheckpointFormat::kTorchFile) return "state.pt";
  return format == CheckpointFormat::kSafetensors ? "state.safetensors" : nullptr;
}

const StepFile* FindStateFile(const CheckpointManifest& manifest) {
  for (const StepFile& file : manifest.files) {
    for (const char* const end : {"-state.pt", "-state.safetensors", "-shard-00001-model-00001-of-00001.safetensors"}) {
      if (file.name.ends_with(end)) return &file;
    }
  }
  return nullptr;
}

Result<SavedStep> SaveStep(StepWriter& writer, const StateContents& contents, StepToSave step,
                           const std::stop_token& stop) {
  if (!stop.stop_possible()) return SaveAllOrChanged(writer, contents, std::move(step));
  const EitherStop sending(stop, step.file.stop);
  step.file.stop = sending.token();
  StepStore& store = writer.store();
  const EitherStop either(stop, store.stop());
  const StopRequests requests(store, either.token());
  return SaveAllOrChanged(writer, contents, std::move(step));
}

}  // namespace gcsflux::internal
