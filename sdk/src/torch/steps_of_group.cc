#include <utility>

#include "checkpoints/latest_step.h"
#include "checkpoints/open_step.h"
#include "checkpoints/safetensors_state.h"
#include "checkpoints/saves/save_queue.h"
#include "formats/state_json.h"
#include "sharding/sharded_checkpoints.h"
#include "torch/failure.h"
#include "torch/run_state.h"
#include "torch/run_steps.h"

namespace gcsflux {
namespace internal {
namespace {

using Bytes = std::vector<std::span<const std::byte>>;

/// What a rank saves, with the memory that it borrows.
struct RankState {
  GatheredState gathered = {};
  std::vector<PlainTensor> tensors = {};
  std::vector<TensorPart> parts = {};  // By tensor.
  std::string values = {};             // Rank 0's.

  [[nodiscard]] Bytes bytes() const {
    Bytes all;
    for (const PlainTensor& tensor : tensors) all.push_back(tensor.bytes);
    return all;
  }
};

// Slices are found by their names alone: rank 0 does not know those of the others.
std::string ValuesOf(const RunState& state, pickled::Value root) {
  std::erase_if(std::get<pickled::Dict>(root.any).entries, [&](const auto& entry) {
    const auto* const name = entry.first.template As<std::string>();
    return name != nullptr && state.slices.contains(*name);
  });
  return ValueOrThrow(FormatState(root));
}

// Ranks have the same tensors, but each has its own generators.
std::string NameOnRank(const std::string& name, const RunState& state, int rank) {
  for (const auto& [generator, unused] : state.generators) {
    if (name == GeneratorName(generator, 0)) return GeneratorName(generator, rank);
  }
  return name;
}

RankState Gather(const RunState& state, int rank) {
  RankState own{.gathered = GatherState(state)};
  own.tensors = ValueOrThrow(PlainTensors(ContentsOf(own.gathered)));
  for (const PlainTensor& tensor : own.tensors) {
    const auto slice = state.slices.find(tensor.name);
    own.parts.push_back(
        slice != state.slices.end()
            ? PartOf(tensor.name, slice->second)
            : TensorPart{.name = NameOnRank(tensor.name, state, rank), .dtype = tensor.dtype, .shape = tensor.shape});
  }
  if (rank == 0) own.values = ValuesOf(state, own.gathered.root);
  return own;
}

std::vector<PartToSave> Joined(const std::vector<TensorPart>& parts, const Bytes& bytes) {
  std::vector<PartToSave> joined;
  for (std::size_t i = 0; i < parts.size(); ++i) joined.push_back({parts[i], bytes[i]});
  return joined;
}

const AsyncSaveOptions& Checked(const AsyncSaveOptions& options) {
  if (options.when_busy == WhenBusy::kWait) return options;
  throw Failure(
      ErrorCode::kInvalidArgument,
      "CheckpointRunOptions::async.when_busy must be WhenBusy::kWait in a group: with the others, ranks could "
      "save different steps");
}

class GroupSteps : public RunSteps {
 public:
  GroupSteps(const Client& client, const std::string& uri, Collective& group, const CheckpointRunOptions& options)
      : group_(group),
        async_(Checked(options.async)),
        steps_(ValueOrThrow(OpenStepStore(client, uri))),
        checkpoints_(steps_, group,
                     {.deadline = options.group_deadline,
                      .reads_once_per_host = options.reads_once_per_host,
                      .keep = options.keep,
                      .take_over = options.take_over,
                      .file = options.file,
                      .reader = options.reader,
                      .reads_values = true,
                      .skip_unchanged = options.skip_unchanged}) {
    FormatOf(options, /*is_group=*/true);
  }

  SavedStep Save(std::int64_t step, const RunState& state, const SaveOptions& options) override;
  PendingSave SaveAsync(std::int64_t step, const RunState& state, const SaveOptions& options) override;
  Step Load(std::int64_t step, RunState& state, LoadMode mode) override {
    WaitForSaves();
    const LatestStored read = ValueOrThrow(checkpoints_.Read(step));
    Fill(read.stored.manifest, state, mode);
    return StepOf(read.stored);
  }
  std::optional<Step> LoadLatest(RunState& state, LoadMode mode) override;
  std::optional<Step> Latest() override {
    WaitForSaves();
    return Shown(IfAny(checkpoints_.Latest()));
  }
  std::vector<Step> List() override { return ValueOrThrow(ListRun(*steps_)).steps; }
  void Remove(std::int64_t step) override {
    WaitForSaves();
    ValueOrThrow(checkpoints_.Remove(step));
  }

 private:
  // The group is for one call at a time.
  void WaitForSaves() const {
    if (queue_) queue_->WaitIdle();
  }

  SaveRequest Request(std::int64_t step, const RunState& state, const SaveOptions& options);
  template <class Begin>
  auto BeginSave(std::int64_t step, const Begin& begin);
  void Fill(const CheckpointManifest& step, RunState& state, LoadMode mode);
  [[nodiscard]] std::vector<PartToLoad> ToLoad(const StateLoad& load, const StoredCheckpoint& step) const;

  Collective& group_;
  const AsyncSaveOptions async_;
  const std::shared_ptr<StepStore> steps_;
  ShardedCheckpoints checkpoints_;
  std::uint64_t async_saves_ = 0;
  std::unique_ptr<SaveQueue> queue_;  // Last: its threads use the others.
};

// The other ranks wait for this one's parts. So if its state is wrong, or it has no memory or thread, it makes the save
// fail on all ranks.
template <class Begin>
auto GroupSteps::BeginSave(std::int64_t step, const Begin& begin) {
  auto begun = Made(begin);
  if (begun) return *std::move(begun);
  WaitForSaves();
  throw StorageError(checkpoints_.FailSave(step, begun.error()));
}

SavedStep GroupSteps::Save(std::int64_t step, const RunState& state, const SaveOptions& options) {
  const auto own = BeginSave(step, [&] { return std::make_shared<const RankState>(Gather(state, group_.rank())); });
  const auto parts = BeginSave(step, [&] { return Joined(own->parts, own->bytes()); });
  WaitForSaves();
  return ValueOrThrow(checkpoints_.Save(AboutStep(step, options), parts, options.mode, {}, own->values));
}

// What a save beside the training needs. The queue copies the bytes.
SaveRequest GroupSteps::Request(std::int64_t step, const RunState& state, const SaveOptions& options) {
  const auto own = std::make_shared<const RankState>(Gather(state, group_.rank()));
  const auto commit = [this, parts = own->parts, values = own->values, about = AboutStep(step, options),
                       mode = options.mode](const StateContents& snapshot,
                                            const std::stop_token& stop) -> Result<SavedStep> {
    const auto joined = Made([&] { return Joined(parts, snapshot.storages); });
    if (!joined) return checkpoints_.FailSave(about.step, joined.error(), stop);
    return checkpoints_.Save(about, *joined, mode, stop, values);
  };
  return {.step = step, .contents = {.root = {}, .storages = own->bytes()}, .owner = own, .commit = commit};
}

PendingSave GroupSteps::SaveAsync(std::int64_t step, const RunState& state, const SaveOptions& options) {
  const std::uint64_t number = ++async_saves_;  // Counts even if this rank fails to begin it.
  BeginSave(step, [&] {
    if (!queue_) queue_ = ValueOrThrow(SaveQueue::Create(async_));
    return true;
  });
  auto request = Made([&] { return Request(step, state, options); });
  // The other ranks wait for this one, and report earlier failures with this save. So does this one.
  if (!request) request = SaveRequest{.step = step, .why_not = request.error()};
  request->give_up = [this, step](const Error& why, const std::stop_token& stop) {
    return checkpoints_.FailSave(step, why, stop);
  };
  request->number = number;
  return ValueOrThrow(queue_->Submit(*std::move(request)));
}

std::vector<PartToLoad> GroupSteps::ToLoad(const StateLoad& load, const StoredCheckpoint& step) const {
  std::vector<PartToLoad> parts = load.slices();
  for (const TensorRead& read : load.reads()) {
    const StoredTensor& stored = step.tensors()[read.tensor->layout.storage];  // A described tensor is a storage.
    parts.push_back({{.name = stored.name, .dtype = stored.layout.dtype, .shape = stored.layout.shape}, read.into});
  }
  return parts;
}

// All ranks have the same error. Nothing of a state changes before all ranks have all that they need.
void GroupSteps::Fill(const CheckpointManifest& step, RunState& state, LoadMode mode) {
  std::optional<StateLoad> load;
  const auto parts = Made([&] {
    const StoredCheckpoint described = ValueOrThrow(DescribeStep(step, checkpoints_.values()));
    load.emplace(described, state, mode, group_.rank());
    return ToLoad(*load, described);
  });
  if (!parts) throw StorageError(checkpoints_.FailLoad(step.step, parts.error()));
  ValueOrThrow(checkpoints_.Load(step, *parts));
  const auto checked = Made([&] { return load->Check(), true; });
  if (!checked) throw StorageError(checkpoints_.FailLoad(step.step, checked.error()));
  ValueOrThrow(checkpoints_.Load(step, {}));
  load->Change();
}

std::optional<Step> GroupSteps::LoadLatest(RunState& state, LoadMode mode) {
  WaitForSaves();
  Result<LatestStored> latest = checkpoints_.Latest();
  while (latest.ok()) {
    try {
      Fill(latest->stored.manifest, state, mode);
      return LatestOf(*std::move(latest));
    } catch (const StorageError& failure) {  // All ranks have the same error, so all go on or none.
      if (!IsUnusable(failure.error())) throw;
      latest = checkpoints_.LatestExcept(latest->stored, failure.error());
    }
  }
  return Shown(IfAny(std::move(latest)));
}

}  // namespace

std::unique_ptr<RunSteps> StepsOfGroup(const Client& client, const std::string& uri, Collective& group,
                                       const CheckpointRunOptions& options) {
  return std::make_unique<GroupSteps>(client, uri, group, options);
}

}  // namespace internal
}  // namespace gcsflux
