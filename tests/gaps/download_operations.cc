// Downloads of many objects, and the batches of a dataset.
#include <gtest/gtest.h>

#include "dataset/dataset_core.h"
#include "gaps/gap_operation.h"
#include "gcsflux/download.h"
#include "gcsflux/listing.h"
#include "support/result.h"
#include "support/upload_case.h"

namespace gcsflux::testing {
namespace {

constexpr std::size_t kCount = 4;

std::string SampleName(std::size_t index) { return "sample-" + std::to_string(index); }

// The third one is downloaded in three pieces, unless it is composed.
void PutSamples(GapWorld& world) {
  for (std::size_t i = 0; i < kCount; ++i) world.Put(SampleName(i), Pattern((i == 2 ? 250'000 : 1'000) + i));
}

GapOperation OfSamples(std::string name,
                       std::function<Result<void>(GapWorld&, const Client&, const std::stop_token&)> run) {
  return {.name = std::move(name),
          .prepare = PutSamples,
          .run = std::move(run),
          .overwrite = [](GapWorld& world) { world.PutForeign(SampleName(2), world.RivalsBytes(SampleName(2))); },
          .remove = [](GapWorld& world) { world.Delete(SampleName(2)); }};
}

Result<std::vector<DownloadSource>> ListSamples(const Client& client, const std::stop_token& stop) {
  const auto listing = ListPrefix(client, {kGapBucket, "sample-"}, {.stop = stop});
  if (!listing) return listing.error();
  return DownloadSources(listing->objects);
}

std::string TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<void> DownloadThem(GapWorld& world, const Client& client, CompositionMode mode, const std::stop_token& stop) {
  const auto sources = ListSamples(client, stop);
  if (!sources) return sources.error();
  const Downloader downloader(client, {.max_concurrency = 1, .range_bytes = 100'000, .composition = mode});
  const auto batch = downloader.Download(*sources, stop);
  if (!batch) return batch.error();
  EXPECT_EQ(batch->size(), sources->size());
  for (std::size_t i = 0; i < batch->size(); ++i) {
    world.ExpectOneGeneration((*sources)[i].object.name, TextOf((*batch)[i].bytes));
  }
  return {};
}

GapOperation Batch() {
  return OfSamples("Download", [](GapWorld& world, const Client& client, const std::stop_token& stop) {
    return DownloadThem(world, client, CompositionMode::kOff, stop);
  });
}

GapOperation ComposedBatch() {
  return OfSamples("ComposedDownload", [](GapWorld& world, const Client& client, const std::stop_token& stop) {
    return DownloadThem(world, client, CompositionMode::kOn, stop);
  });
}

GapOperation Stream() {
  return OfSamples("DownloadStream",
                   [](GapWorld& world, const Client& client, const std::stop_token& stop) -> Result<void> {
                     const auto sources = ListSamples(client, stop);
                     if (!sources) return sources.error();
                     const Downloader downloader(client, {.max_concurrency = 1, .range_bytes = 100'000});
                     DownloadStream stream = downloader.Stream(*sources, DeliveryOrder::kInOrder, stop);
                     std::size_t delivered = 0;
                     for (;; ++delivered) {
                       const auto next = stream.Next();
                       if (!next) return next.error();
                       if (!*next) break;
                       world.ExpectOneGeneration((*sources)[(*next)->index].object.name, TextOf((*next)->bytes));
                     }
                     EXPECT_EQ(delivered, sources->size());
                     return {};
                   });
}

// A sample is the name of an object, and its bytes.
using Samples = std::vector<std::pair<std::string, std::string>>;

internal::SampleWork BytesAsSamples() {
  return {.make = [](std::size_t samples) { return std::make_shared<Samples>(samples); },
          .decode = [](void* batch, std::size_t place, const ListedObject& object, DownloadedObject& downloaded,
                       const SampleContext&) -> internal::DecodedSample {
            (*static_cast<Samples*>(batch))[place] = {object.name, TextOf(downloaded.bytes)};
            return {.bytes = downloaded.bytes.size()};
          }};
}

// In the order of the names, in batches of one.
Result<void> UseAnEpoch(GapWorld& world, const Client& client, bool is_live, const std::stop_token& stop) {
  const ObjectName prefix{kGapBucket, "sample-"};
  std::vector<ListedObject> objects;
  const ParallelListOptions how{.max_concurrency = 1, .stop = stop};
  if (!is_live) {
    auto listing = ListInParallel(client, prefix, how);
    if (!listing) return listing.error();
    objects = std::move(listing->objects);
  }
  const internal::DatasetCore core(
      client, {.prefix = prefix, .objects = std::move(objects), .is_live = is_live, .work = BytesAsSamples()},
      {.download = {.max_concurrency = 1, .range_bytes = 100'000}, .listing = how, .fetch_across_epochs = false});
  const EpochOptions order{.order = SampleOrder::kByName, .batch_size = 1};
  const Cursor start{.order = SampleOrder::kByName, .listing = core.fingerprint()};
  if (auto expected = core.Expect(order, {.cursor = start}); !expected) return expected;
  for (std::size_t i = 0;; ++i) {
    const auto batch = core.Next(0);
    if (!batch) return batch.error();
    if (!*batch) {
      EXPECT_GE(i, kCount - 1) << "one may be deleted before the listing";
      return {};
    }
    if ((*batch)->error) return *(*batch)->error;
    const auto& [name, bytes] = static_cast<const Samples*>((*batch)->samples.get())->front();
    world.ExpectOneGeneration(name, bytes);
  }
}

GapOperation Dataset(bool is_live) {
  return OfSamples(is_live ? "DatasetThatStillLists" : "Dataset",
                   [is_live](GapWorld& world, const Client& client, const std::stop_token& stop) {
                     return UseAnEpoch(world, client, is_live, stop);
                   });
}

}  // namespace

std::vector<GapOperation> DownloadOperations() {
  return {Batch(), ComposedBatch(), Stream(), Dataset(false), Dataset(true)};
}

}  // namespace gcsflux::testing
