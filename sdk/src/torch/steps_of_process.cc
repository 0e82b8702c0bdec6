#include <algorithm>
#include <chrono>
#include <utility>

#include "base/process/no_time_limit.h"
#include "base/stop_after.h"
#include "checkpoints/latest_step.h"
#include "checkpoints/open_step.h"
#include "checkpoints/saves/save_queue.h"
#include "checkpoints/stop_requests.h"
#include "torch/failure.h"
#include "torch/run_state.h"
#include "torch/run_steps.h"

namespace gcsflux::internal {
namespace {

constexpr std::chrono::milliseconds kLeastForRelease = std::chrono::seconds(2);

class ProcessSteps : public RunSteps {
 public:
  ProcessSteps(const Client& client, const std::string& uri, CheckpointRunOptions options)
      : options_(std::move(options)),
        format_(FormatOf(options_, /*is_group=*/false)),
        steps_(ValueOrThrow(OpenStepStore(client, uri))) {}
  ProcessSteps(const ProcessSteps&) = delete;
  ProcessSteps& operator=(const ProcessSteps&) = delete;
  ~ProcessSteps() override;

  SavedStep Save(std::int64_t step, const RunState& state, const SaveOptions& options) override {
    const GatheredState gathered = Gather(state);
    return ValueOrThrow(SaveStep(Writer(), ContentsOf(gathered), Saving(step, options), {}));
  }
  PendingSave SaveAsync(std::int64_t step, const RunState& state, const SaveOptions& options) override;
  Step Load(std::int64_t step, RunState& state, LoadMode mode) override {
    const StoredStep stored = ValueOrThrow(steps_->ReadManifest(step));
    OfStep(stored, [&] { Read(Open(stored), state, mode); });
    return StepOf(stored);
  }
  std::optional<Step> LoadLatest(RunState& state, LoadMode mode) override;
  std::optional<Step> Latest() override { return Shown(IfAny(FindLatest(*steps_, {}))); }
  std::vector<Step> List() override { return ValueOrThrow(ListRun(*steps_)).steps; }
  void Remove(std::int64_t step) override {
    ValueOrThrow(writer_ ? writer_->Remove(step) : RemoveStep(*steps_, step, {}));
  }

 private:
  static GatheredState Gather(const RunState& state) {
    if (state.slices.empty()) return GatherState(state);
    throw Failure(ErrorCode::kInvalidArgument,
                  "RunState: slices are saved by a group: give CheckpointRun a Collective");
  }

  StepWriter& Writer() {
    if (!writer_) writer_.emplace(ValueOrThrow(StepWriter::Start(steps_, options_.take_over)));
    return *writer_;
  }

  [[nodiscard]] StepToSave Saving(std::int64_t step, const SaveOptions& with) {
    return {.manifest = AboutStep(step, with),
            .mode = with.mode,
            .format = format_,
            .keep = options_.keep,
            .file = options_.file,
            .last = options_.skip_unchanged ? &last_ : nullptr};
  }

  [[nodiscard]] OpenedStep Open(const StoredStep& step) const {
    return ValueOrThrow(OpenStepFiles(*steps_, step.manifest, options_.reader));
  }

  static void Read(const OpenedStep& opened, RunState& state, LoadMode mode) {
    if (!state.slices.empty()) {
      throw Failure(ErrorCode::kInvalidArgument, "RunState: slices are loaded by a group");
    }
    StateLoad load(opened.checkpoint, state, mode, /*rank=*/0);
    ValueOrThrow(opened.checkpoint.ReadTensors(load.reads()));
    load.Check();
    if (load.is_whole() && opened.own_file) ValueOrThrow(opened.own_file->VerifyWhole());
    load.Change();
  }

  // Adds the step to the message of an error.
  template <class Do>
  void OfStep(const StoredStep& step, const Do& act) const {
    try {
      act();
    } catch (const StorageError& failure) {
      Error error = failure.error();
      error.message = "step " + std::to_string(step.manifest.step) + " of " + steps_->uri() + ": " + error.message;
      throw StorageError(std::move(error));
    }
  }

  [[nodiscard]] std::optional<Error> WhyUnusable(const StoredStep& step, const Error& error) const {
    return internal::WhyUnusable(*steps_, step.manifest, options_.reader, error);
  }

  const CheckpointRunOptions options_;
  const CheckpointFormat format_;
  const std::shared_ptr<StepStore> steps_;
  LastCommitted last_;
  std::optional<StepWriter> writer_;  // From the first save on.
  std::unique_ptr<SaveQueue> queue_;  // Likewise; its threads use the writer.
};

ProcessSteps::~ProcessSteps() {
  const auto begin = std::chrono::steady_clock::now();
  queue_.reset();
  if (!writer_) return;
  const auto left = begin + InNanoseconds(options_.async.end_deadline) - std::chrono::steady_clock::now();
  const StopAfter limit(std::max(std::chrono::ceil<std::chrono::milliseconds>(left), kLeastForRelease));
  const StopRequests requests(*steps_, limit.token());
  // If this fails, the next run is refused unless it takes the prefix over, as after a crash.
  static_cast<void>(writer_->Release().ok());
}

PendingSave ProcessSteps::SaveAsync(std::int64_t step, const RunState& state, const SaveOptions& options) {
  const auto gathered = std::make_shared<const GatheredState>(Gather(state));
  StepWriter& writer = Writer();
  if (!queue_) queue_ = ValueOrThrow(SaveQueue::Create(options_.async));
  const auto commit = [&writer, saving = Saving(step, options)](const StateContents& snapshot,
                                                                const std::stop_token& stop) {
    return SaveStep(writer, snapshot, saving, stop);
  };
  return ValueOrThrow(
      queue_->Submit({.step = step, .contents = ContentsOf(*gathered), .owner = gathered, .commit = commit}));
}

std::optional<Step> ProcessSteps::LoadLatest(RunState& state, LoadMode mode) {
  std::optional<OpenedStep> opened;
  const auto open = [&](const StoredStep& step) -> Result<void> {
    try {
      OfStep(step, [&] { opened = Open(step); });
    } catch (const StorageError& failure) {
      return WhyUnusable(step, failure.error()).value_or(failure.error());
    }
    return {};
  };
  std::vector<DamagedStep> damaged;
  while (auto latest = IfAny(FindLatest(*steps_, open, damaged))) {
    const StoredStep& found = latest->stored;
    try {
      OfStep(found, [&] { Read(*opened, state, mode); });
      return LatestOf(*std::move(latest));
    } catch (const StorageError& failure) {
      const auto why = WhyUnusable(found, failure.error());
      if (!why) throw;
      damaged.push_back({found.manifest.step, found.generation, *why});
    }
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<RunSteps> StepsOfProcess(const Client& client, const std::string& uri, CheckpointRunOptions options) {
  return std::make_unique<ProcessSteps>(client, uri, std::move(options));
}

}  // namespace gcsflux::internal
