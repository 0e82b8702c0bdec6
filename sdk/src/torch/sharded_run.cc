#include "gcsflux/torch/sharded_run.h"

#include <chrono>
#include <optional>
#include <utility>

#include "checkpoints/latest_step.h"
#include "checkpoints/save_queue.h"
#include "torch/failure.h"
#include "torch/made.h"
#include "torch/sharded_state.h"
#include "torch/step_values.h"
#include "torch/tensor_bytes.h"

namespace gcsflux {
namespace {

/// What Save() needs, with the memory that it borrows.
struct BorrowedParts {
  GatheredParts gathered = {};
  CheckpointManifest about = {};
  std::vector<PartToSave> parts = {};
};

/// What a load needs.
struct BorrowedMemory {
  StagedParts staged;
  std::vector<PartToLoad> parts = {};
};

std::vector<PartToSave> Joined(const std::vector<TensorPart>& parts,
                               const std::vector<std::span<const std::byte>>& bytes) {
  std::vector<PartToSave> joined;
  for (std::size_t i = 0; i < parts.size(); ++i) joined.push_back({parts[i], bytes[i]});
  return joined;
}

internal::StateContents ContentsOf(const GatheredParts& gathered) {
  internal::StateContents contents;
  for (const at::Tensor& tensor : gathered.tensors) contents.storages.emplace_back(BytesOf(tensor));
  return contents;
}

CheckpointManifest About(std::int64_t step, const SaveOptions& options) {
  return {
      .step = step, .time = std::chrono::system_clock::now(), .metrics = options.metrics, .metadata = options.metadata};
}

const AsyncSaveOptions& Checked(const AsyncSaveOptions& options) {
  if (options.when_busy == WhenBusy::kWait) return options;
  throw Failure(ErrorCode::kInvalidArgument,
                "ShardedRunOptions::async.when_busy must be WhenBusy::kWait: with the others, ranks could save "
                "different steps");
}

}  // namespace

struct ShardedRun::Parts {
  Parts(const Client& client, const std::string& uri, Collective& of, ShardedRunOptions with)
      : group(of),
        async(Checked(with.async)),
        deadline(with.steps.deadline),
        reader(with.steps.reader),
        steps(ValueOrThrow(CheckpointSteps::Open(client, uri))),
        checkpoints(steps, of, std::move(with.steps)) {}

  // The group is for one call at a time.
  void WaitForSaves() const {
    if (queue) queue->WaitIdle();
  }

  GatheredParts Gather(const ShardedState& state) const { return GatherParts(state, group.rank() == 0); }

  internal::SaveQueue* Queue() {
    if (!queue) queue = ValueOrThrow(internal::SaveQueue::Create(async));
    return queue.get();
  }

  // What a save beside the training needs. The queue copies the bytes.
  internal::SaveRequest Request(std::int64_t step, const ShardedState& state, const SaveOptions& options) {
    GatheredParts gathered = Gather(state);
    auto contents = ContentsOf(gathered);
    const auto parts = std::make_shared<const std::vector<TensorPart>>(std::move(gathered.parts));
    const auto commit = [this, parts, about = About(step, options), mode = options.mode](
                            const internal::StateContents& snapshot, const std::stop_token& stop) -> Result<SavedStep> {
      const auto joined = Made([&] { return Joined(*parts, snapshot.storages); });
      if (!joined) return checkpoints.FailSave(about.step, joined.error(), stop);
      return checkpoints.Save(about, *joined, mode, stop);
    };
    return {.step = step,
            .contents = std::move(contents),
            .owner = std::make_shared<const GatheredParts>(std::move(gathered)),
            .commit = commit};
  }

  // The other ranks wait for this one's parts. So if its state is wrong, or it has no memory or thread, it makes the
  // save fail on all ranks.
  template <class Begin>
  auto BeginSave(std::int64_t step, const Begin& begin) {
    auto begun = Made(begin);
    if (begun) return *std::move(begun);
    WaitForSaves();
    throw StorageError(checkpoints.FailSave(step, begun.error()));
  }

  // Returns the message for ParseValues(). Returns nothing if the values are among the step's tensors.
  std::optional<std::string> ReadValues(const CheckpointManifest& manifest) const {
    if (!HasValuesInFile(manifest)) return std::nullopt;
    auto read = ReadValuesOnRank0(group, deadline, {steps, manifest, reader});
    if (read) return *std::move(read);
    throw Failure(read.error().code,
                  "load of step " + std::to_string(manifest.step) + " of " + steps.uri() + ": " + read.error().message);
  }

  void Fill(const LatestStep& step, ShardedState& state) {
    const CheckpointManifest& manifest = step.stored.manifest;
    const auto values = ReadValues(manifest);
    const auto memory = Made([&] {
      StagedParts staged(state, manifest, values ? std::optional(ParseValues(*values)) : std::nullopt);
      auto parts = staged.ToLoad();
      return BorrowedMemory{std::move(staged), std::move(parts)};
    });
    if (!memory) throw StorageError(checkpoints.FailLoad(manifest.step, memory.error()));
    ValueOrThrow(checkpoints.Load(manifest, memory->parts));
    memory->staged.MoveInto(state);
  }

  Collective& group;
  const AsyncSaveOptions async;
  const std::chrono::milliseconds deadline;
  const ObjectReaderOptions reader;
  const CheckpointSteps steps;
  ShardedCheckpoints checkpoints;
  std::uint64_t async_saves = 0;
  std::unique_ptr<internal::SaveQueue> queue;  // Last: its threads use the others.
};

ShardedRun::ShardedRun(const Client& client, const std::string& uri, Collective& group, ShardedRunOptions options)
    : parts_(std::make_unique<Parts>(client, uri, group, std::move(options))) {}
ShardedRun::ShardedRun(ShardedRun&&) noexcept = default;
ShardedRun& ShardedRun::operator=(ShardedRun&&) noexcept = default;
ShardedRun::~ShardedRun() = default;

SavedStep ShardedRun::Save(std::int64_t step, const ShardedState& state, const SaveOptions& options) {
  const BorrowedParts own = Held(parts_, "ShardedRun").BeginSave(step, [&] {
    BorrowedParts begun{.gathered = Held(parts_, "ShardedRun").Gather(state), .about = About(step, options)};
    begun.parts = Joined(begun.gathered.parts, ContentsOf(begun.gathered).storages);
    return begun;
  });
  Held(parts_, "ShardedRun").WaitForSaves();
  return ValueOrThrow(Held(parts_, "ShardedRun").checkpoints.Save(own.about, own.parts, options.mode));
}

PendingSave ShardedRun::SaveAsync(std::int64_t step, const ShardedState& state, const SaveOptions& options) {
  const std::uint64_t number = ++Held(parts_, "ShardedRun").async_saves;  // Counts even if this rank fails to begin it.
  internal::SaveQueue& queue =
      *Held(parts_, "ShardedRun").BeginSave(step, [&] { return Held(parts_, "ShardedRun").Queue(); });
  auto request = Made([&] { return Held(parts_, "ShardedRun").Request(step, state, options); });
  // The other ranks wait for this one, and report earlier failures with this save. So does this one.
  if (!request) request = internal::SaveRequest{.step = step, .why_not = request.error()};
  request->give_up = [&checkpoints = Held(parts_, "ShardedRun").checkpoints, step](const Error& why,
                                                                                   const std::stop_token& stop) {
    return checkpoints.FailSave(step, why, stop);
  };
  request->number = number;
  return ValueOrThrow(queue.Submit(*std::move(request)));
}

LatestStep ShardedRun::Load(std::int64_t step, ShardedState& state) {
  Held(parts_, "ShardedRun").WaitForSaves();
  LatestStep read = ValueOrThrow(Held(parts_, "ShardedRun").checkpoints.Read(step));
  Held(parts_, "ShardedRun").Fill(read, state);
  return read;
}

std::optional<LatestStep> ShardedRun::LoadLatest(ShardedState& state) {
  Held(parts_, "ShardedRun").WaitForSaves();
  Result<LatestStep> latest = Held(parts_, "ShardedRun").checkpoints.Latest();
  while (latest.ok()) {
    try {
      Held(parts_, "ShardedRun").Fill(*latest, state);
      return *std::move(latest);
    } catch (const StorageError& failure) {  // All ranks have the same error, so all go on or none.
      if (!internal::IsUnusable(failure.error())) throw;
      latest = Held(parts_, "ShardedRun").checkpoints.LatestExcept(latest->stored, failure.error());
    }
  }
  if (latest.error().code == ErrorCode::kNotFound) return std::nullopt;
  throw StorageError(latest.error());
}

}  // namespace gcsflux
