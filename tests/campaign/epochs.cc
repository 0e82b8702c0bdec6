// Epochs of a dataset whose cursor is saved, dropped with all that was fetched ahead, and resumed by other ranks.
#include <algorithm>

#include "campaign/operations.h"
#include "campaign/worker.h"
#include "dataset/dataset_core.h"
#include "gcsflux/epoch.h"
#include "gcsflux/listing.h"
#include "support/text_samples.h"

namespace gcsflux::campaign {
namespace {

using internal::DatasetCore;
using testing::TextBatch;

// Names of an epoch in its order, and where it continues.
struct Epoch {
  EpochOptions how = {};
  std::optional<Cursor> cursor = {};
  std::vector<std::string> used = {};
};

// Empty if the listing failed.
std::unique_ptr<DatasetCore> MakeCore(Worker& worker, const Epoch& epoch) {
  const Common& common = worker.common();
  const bool is_live = epoch.how.order == SampleOrder::kBuffered;
  std::vector<ListedObject> objects;
  if (!is_live) {
    auto listed = ListInParallel(worker.client(), common.samples, {.max_concurrency = 2});
    if (!worker.Check(listed, RandomStop())) return nullptr;
    objects = std::move(listed->objects);
  }
  return std::make_unique<DatasetCore>(
      worker.client(),
      DatasetCore::Settings{
          .prefix = common.samples, .objects = std::move(objects), .is_live = is_live, .work = testing::TextSamples()},
      DatasetOptions{.download = {.max_concurrency = 4}, .listing = {.max_concurrency = 2}});
}

void CheckSamples(const Common& common, const TextBatch& batch) {
  for (const auto& sample : batch) {
    const auto slot = std::ranges::find(common.sample_objects, sample.first,
                                        [](const Slot& each) -> const std::string& { return each.object.name; });
    if (slot == common.sample_objects.end()) throw Violation(sample.first + " is no sample");
    CheckBytes(slot->object, sample.second, slot->state()->content);
  }
}

// The batches of one rank, at most so many. Nothing if one of them failed, as under faults it may.
std::optional<std::vector<TextBatch>> UseBatches(Worker& worker, const Epoch& epoch, std::size_t most, Cursor& behind) {
  const auto core = MakeCore(worker, epoch);
  if (core == nullptr) return std::nullopt;
  const Cursor start = epoch.cursor ? *epoch.cursor : testing::BeginningOf(*core, epoch.how, worker.common().samples);
  behind = start;
  if (!worker.Check(core->Expect(epoch.how, {.cursor = start}), RandomStop())) return std::nullopt;
  std::vector<TextBatch> batches;
  while (batches.size() < most) {
    auto batch = core->Next(start.epoch);
    const MayFail may{.with = {ErrorCode::kCorrupted}};
    if (!worker.Check(batch, RandomStop(), may)) return std::nullopt;
    if (!*batch) break;
    const Error* const error = (*batch)->error ? &*(*batch)->error : nullptr;
    if (!worker.Check(error, RandomStop(), may)) return std::nullopt;
    batches.push_back(testing::TextsOf(**batch));
    CheckSamples(worker.common(), batches.back());
    behind = (*batch)->cursor;
  }
  return batches;
}

// All ranks use the same number of batches, and the run is saved. False if a batch failed: then the part is repeated.
bool UsePart(Worker& worker, Epoch& epoch) {
  epoch.how.world_size = 1 + worker.chance().Below(3);
  epoch.how.batch_size = 1 + worker.chance().Below(4);
  const std::size_t most = worker.chance().OneIn(3) ? 1'000 : 1 + worker.chance().Below(3);
  std::vector<std::vector<TextBatch>> ranks;
  Cursor behind;
  const std::uint64_t left = worker.common().sample_objects.size() - epoch.used.size();
  for (std::uint64_t rank = 0; rank < std::min(epoch.how.world_size, left); ++rank) {  // The others have no batch.
    epoch.how.rank = rank;
    Cursor of_rank;
    auto batches = UseBatches(worker, epoch, most, of_rank);
    if (!batches) return false;
    if (rank == 0) behind = of_rank;  // It has the most batches.
    ranks.push_back(*std::move(batches));
  }
  for (std::size_t i = 0; i < ranks.front().size(); ++i) {
    for (const auto& batches : ranks) {
      if (i >= batches.size()) continue;
      for (const auto& sample : batches[i]) epoch.used.push_back(sample.first);
    }
  }
  const auto read = ParseCursor(FormatCursor(behind));
  if (!read || *read != behind) throw Violation("a cursor is another one as text: " + FormatCursor(behind));
  epoch.cursor = behind;
  return true;
}

void RunEpoch(Worker& worker, SampleOrder order) {
  Epoch epoch{
      .how = {.order = order, .shuffle_buffer = 1 + worker.chance().Below(20), .seed = worker.chance().Number()}};
  for (int tries = 0; !epoch.cursor || epoch.cursor->epoch == 0;) {
    const bool has_failed = !UsePart(worker, epoch);
    if (has_failed && ++tries > 20) return;  // Each of them was as it may be.
    const std::size_t count = worker.common().sample_objects.size();
    if (epoch.used.size() > count) throw Violation("an epoch gives more samples than there are");
  }
  std::vector<std::string> wanted;
  for (const Slot& slot : worker.common().sample_objects) wanted.push_back(slot.object.name);
  if (order != SampleOrder::kByName) std::ranges::sort(epoch.used);
  if (epoch.used != wanted) throw Violation("an epoch does not use each sample once, or not in its order");
}

void MapEpoch(Worker& worker) {
  RunEpoch(worker, worker.chance().OneIn(2) ? SampleOrder::kByName : SampleOrder::kShuffled);
}
void IterableEpoch(Worker& worker) { RunEpoch(worker, SampleOrder::kBuffered); }

}  // namespace

std::vector<Operation> EpochOperations() { return {{"map epoch", 2, MapEpoch}, {"iterable epoch", 2, IterableEpoch}}; }

}  // namespace gcsflux::campaign
