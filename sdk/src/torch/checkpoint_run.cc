#include "gcsflux/torch/checkpoint_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/process/no_time_limit.h"
#include "base/stop_after.h"
#include "checkpoints/latest_step.h"
#include "checkpoints/open_step.h"
#include "checkpoints/save_queue.h"
#include "checkpoints/save_step.h"
#include "checkpoints/stop_requests.h"
#include "torch/failure.h"
#include "torch/run_state.h"

namespace gcsflux {
namespace {

constexpr std::chrono::milliseconds kLeastForRelease = std::chrono::seconds(2);

CheckpointSteps OpenSteps(const Client& client, const std::string& uri, const CheckpointRunOptions& options) {
  if (options.save_every < 1) {
    throw StorageError(
        {.code = ErrorCode::kInvalidArgument,
         .message = "CheckpointRunOptions::save_every is at least 1, not " + std::to_string(options.save_every)});
  }
  if (internal::StateFileName(options.format) == nullptr) {
    throw StorageError({.code = ErrorCode::kInvalidArgument,
                        .message = "CheckpointRunOptions::format is kTorchFile or kSafetensors, not " +
                                   std::string(FormatName(options.format))});
  }
  if (options.skip_unchanged && options.format != CheckpointFormat::kSafetensors) {
    throw StorageError({.code = ErrorCode::kInvalidArgument,
                        .message = "CheckpointRunOptions::skip_unchanged needs the format kSafetensors: a file of "
                                   "torch.save cannot name tensors of other files"});
  }
  return ValueOrThrow(CheckpointSteps::Open(client, uri));
}

// Nothing if no step was ever saved.
std::optional<LatestStep> IfAny(Result<LatestStep> latest) {
  if (!latest && latest.error().code == ErrorCode::kNotFound) return std::nullopt;
  return ValueOrThrow(std::move(latest));
}

}  // namespace

struct CheckpointRun::Parts {
  Parts(const Client& client, const std::string& uri, CheckpointRunOptions of)
      : options(std::move(of)), steps(OpenSteps(client, uri, options)) {}

  StepWriter& Writer() {
    if (!writer) writer.emplace(ValueOrThrow(StepWriter::Start(steps, options.writer)));
    return *writer;
  }

  [[nodiscard]] internal::StepToSave Saving(std::int64_t step, const SaveOptions& with) {
    return {.manifest = {.step = step,
                         .time = std::chrono::system_clock::now(),
                         .metrics = with.metrics,
                         .metadata = with.metadata},
            .mode = with.mode,
            .format = options.format,
            .keep = options.keep,
            .file = options.file,
            .last = options.skip_unchanged ? &last : nullptr};
  }

  [[nodiscard]] internal::OpenedStep Open(const StoredStep& step) const {
    return ValueOrThrow(internal::OpenStepFiles(steps, step.manifest, options.reader));
  }

  static void Read(const internal::OpenedStep& opened, RunState& state) {
    LoadState(opened.checkpoint, state, [&] { ValueOrThrow(opened.own_file->VerifyWhole()); });
  }

  // Adds the step to the message of an error.
  template <class Do>
  void OfStep(const StoredStep& step, const Do& act) const {
    try {
      act();
    } catch (const StorageError& failure) {
      Error error = failure.error();
      error.message = "step " + std::to_string(step.manifest.step) + " of " + steps.uri() + ": " + error.message;
      throw StorageError(std::move(error));
    }
  }

  [[nodiscard]] std::optional<Error> WhyUnusable(const StoredStep& step, const Error& error) const {
    return internal::WhyUnusable(steps, step.manifest, options.reader, error);
  }

  const CheckpointRunOptions options;
  const CheckpointSteps steps;
  internal::LastCommitted last;
  std::optional<StepWriter> writer;            // From the first save on.
  std::unique_ptr<internal::SaveQueue> queue;  // Likewise; its threads use the writer.
};

CheckpointRun::CheckpointRun(const Client& client, const std::string& uri, CheckpointRunOptions options)
    : parts_(std::make_unique<Parts>(client, uri, std::move(options))) {}
CheckpointRun::CheckpointRun(CheckpointRun&&) noexcept = default;
CheckpointRun& CheckpointRun::operator=(CheckpointRun&& other) noexcept {
  CheckpointRun replaced(std::move(other));  // Its destructor ends this run.
  parts_.swap(replaced.parts_);
  return *this;
}

CheckpointRun::~CheckpointRun() {
  if (!parts_) return;
  const AsyncSaveOptions& async = parts_->options.async;
  const auto begin = std::chrono::steady_clock::now();
  parts_->queue.reset();
  if (!parts_->writer) return;
  const auto deadline =
      async.at_end == AtEnd::kWait ? internal::InNanoseconds(async.end_deadline) : std::chrono::nanoseconds::zero();
  const auto left = begin + deadline - std::chrono::steady_clock::now();
  const internal::StopAfter limit(std::max(std::chrono::ceil<std::chrono::milliseconds>(left), kLeastForRelease));
  const internal::StopRequests requests(internal::StoreOf(parts_->steps), limit.token());
  // If this fails, the next run is refused unless it takes the prefix over, as after a crash.
  static_cast<void>(parts_->writer->Release().ok());
}

bool CheckpointRun::ShouldSave(std::int64_t step) const {
  return step > 0 && step % Held(parts_, "CheckpointRun").options.save_every == 0;
}

SavedStep CheckpointRun::Save(std::int64_t step, const RunState& state, const SaveOptions& options) {
  const GatheredState gathered = GatherState(state);
  StepWriter& writer = Held(parts_, "CheckpointRun").Writer();
  return ValueOrThrow(
      internal::SaveStep(writer, ContentsOf(gathered), Held(parts_, "CheckpointRun").Saving(step, options), {}));
}

PendingSave CheckpointRun::SaveAsync(std::int64_t step, const RunState& state, const SaveOptions& options) {
  const auto gathered = std::make_shared<const GatheredState>(GatherState(state));
  StepWriter& writer = Held(parts_, "CheckpointRun").Writer();
  if (!Held(parts_, "CheckpointRun").queue)
    Held(parts_, "CheckpointRun").queue =
        ValueOrThrow(internal::SaveQueue::Create(Held(parts_, "CheckpointRun").options.async));
  const auto commit = [&writer, saving = Held(parts_, "CheckpointRun").Saving(step, options)](
                          const internal::StateContents& snapshot, const std::stop_token& stop) {
    return internal::SaveStep(writer, snapshot, saving, stop);
  };
  return ValueOrThrow(
      Held(parts_, "CheckpointRun")
          .queue->Submit({.step = step, .contents = ContentsOf(*gathered), .owner = gathered, .commit = commit}));
}

StoredStep CheckpointRun::Load(std::int64_t step, RunState& state) const {
  StoredStep stored = ValueOrThrow(Held(parts_, "CheckpointRun").steps.Read(step));
  Held(parts_, "CheckpointRun").OfStep(stored, [&] { Parts::Read(Held(parts_, "CheckpointRun").Open(stored), state); });
  return stored;
}

std::optional<LatestStep> CheckpointRun::LoadLatest(RunState& state) const {
  std::optional<internal::OpenedStep> opened;
  const auto open = [&](const StoredStep& step) -> Result<void> {
    try {
      Held(parts_, "CheckpointRun").OfStep(step, [&] { opened = Held(parts_, "CheckpointRun").Open(step); });
    } catch (const StorageError& failure) {
      return Held(parts_, "CheckpointRun").WhyUnusable(step, failure.error()).value_or(failure.error());
    }
    return {};
  };
  std::vector<internal::DamagedStep> damaged;
  while (auto latest =
             IfAny(internal::FindLatest(internal::StoreOf(Held(parts_, "CheckpointRun").steps), open, damaged))) {
    const StoredStep& found = latest->stored;
    try {
      Held(parts_, "CheckpointRun").OfStep(found, [&] { Parts::Read(*opened, state); });
      return latest;
    } catch (const StorageError& failure) {
      const auto why = Held(parts_, "CheckpointRun").WhyUnusable(found, failure.error());
      if (!why) throw;
      damaged.push_back({found.manifest.step, found.generation, *why});
    }
  }
  return std::nullopt;
}

std::optional<LatestStep> CheckpointRun::Latest() const { return IfAny(Held(parts_, "CheckpointRun").steps.Latest()); }

std::vector<ListedStep> CheckpointRun::List() const { return ValueOrThrow(Held(parts_, "CheckpointRun").steps.List()); }

void CheckpointRun::Remove(std::int64_t step) const {
  ValueOrThrow(Held(parts_, "CheckpointRun").writer ? Held(parts_, "CheckpointRun").writer->Remove(step)
                                                    : Held(parts_, "CheckpointRun").steps.Remove(step));
}

}  // namespace gcsflux
