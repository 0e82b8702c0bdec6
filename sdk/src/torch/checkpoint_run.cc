#include "gcsflux/torch/checkpoint_run.h"

#include <chrono>
#include <utility>

#include "torch/failure.h"
#include "torch/run_steps.h"

namespace gcsflux {
namespace internal {

CheckpointFormat FormatOf(const CheckpointRunOptions& options, bool is_group) {
  const bool needs_safetensors = is_group || options.skip_unchanged;
  const auto format = options.format.value_or(needs_safetensors ? CheckpointFormat::kSafetensors  //
                                                                : CheckpointFormat::kTorchFile);
  if (StateFileName(format) == nullptr) {
    throw Failure(ErrorCode::kInvalidArgument,
                  "CheckpointRunOptions::format is kTorchFile or kSafetensors, not " + std::string(FormatName(format)));
  }
  if (needs_safetensors && format != CheckpointFormat::kSafetensors) {
    throw Failure(ErrorCode::kInvalidArgument,
                  is_group ? "CheckpointRunOptions::format is kSafetensors in a group: ranks write slices"
                           : "CheckpointRunOptions::skip_unchanged needs the format kSafetensors: a file of torch.save "
                             "cannot name tensors of other files");
  }
  return format;
}

CheckpointManifest AboutStep(std::int64_t step, const SaveOptions& options) {
  return {
      .step = step, .time = std::chrono::system_clock::now(), .metrics = options.metrics, .metadata = options.metadata};
}

std::optional<LatestStored> IfAny(Result<LatestStored> latest) {
  if (!latest && latest.error().code == ErrorCode::kNotFound) return std::nullopt;
  return ValueOrThrow(std::move(latest));
}

std::optional<Step> Shown(std::optional<LatestStored> latest) {
  return latest ? std::optional(LatestOf(*std::move(latest))) : std::nullopt;
}

}  // namespace internal

namespace {

std::int64_t Checked(std::int64_t save_every) {
  if (save_every >= 1) return save_every;
  throw Failure(ErrorCode::kInvalidArgument,
                "CheckpointRunOptions::save_every is at least 1, not " + std::to_string(save_every));
}

}  // namespace

CheckpointRun::CheckpointRun(const Client& client, const std::string& uri, CheckpointRunOptions options)
    : save_every_(Checked(options.save_every)), steps_(internal::StepsOfProcess(client, uri, std::move(options))) {}
CheckpointRun::CheckpointRun(const Client& client, const std::string& uri, Collective& group,
                             CheckpointRunOptions options)
    : save_every_(Checked(options.save_every)),
      steps_(internal::StepsOfGroup(client, uri, group, std::move(options))) {}
CheckpointRun::CheckpointRun(CheckpointRun&&) noexcept = default;
CheckpointRun& CheckpointRun::operator=(CheckpointRun&&) noexcept = default;
CheckpointRun::~CheckpointRun() = default;

bool CheckpointRun::ShouldSave(std::int64_t step) const {
  Held(steps_, "CheckpointRun");
  return step > 0 && step % save_every_ == 0;
}

SavedStep CheckpointRun::Save(std::int64_t step, const RunState& state, const SaveOptions& options) {
  return Held(steps_, "CheckpointRun").Save(step, state, options);
}

PendingSave CheckpointRun::SaveAsync(std::int64_t step, const RunState& state, const SaveOptions& options) {
  return Held(steps_, "CheckpointRun").SaveAsync(step, state, options);
}

Step CheckpointRun::Load(std::int64_t step, RunState& state, LoadMode mode) const {
  return Held(steps_, "CheckpointRun").Load(step, state, mode);
}

std::optional<Step> CheckpointRun::LoadLatest(RunState& state, LoadMode mode) const {
  return Held(steps_, "CheckpointRun").LoadLatest(state, mode);
}

std::optional<Step> CheckpointRun::Latest() const { return Held(steps_, "CheckpointRun").Latest(); }

std::vector<Step> CheckpointRun::List() const { return Held(steps_, "CheckpointRun").List(); }

void CheckpointRun::Remove(std::int64_t step) const { Held(steps_, "CheckpointRun").Remove(step); }

}  // namespace gcsflux
