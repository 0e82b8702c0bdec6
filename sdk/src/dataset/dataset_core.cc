#include "dataset/dataset_core.h"

#include <utility>

#include "dataset/epoch_order.h"
#include "dataset/fingerprint.h"

namespace gcsflux::internal {
namespace {

// Of failures the core hears one by one.
DownloaderOptions OneByOne(DownloaderOptions options) {
  options.on_failure = OnFailure::kDeliver;
  return options;
}

std::shared_ptr<DownloadThreads> MakeDecoders(int threads) {
  return threads > 0 ? std::make_shared<DownloadThreads>(static_cast<std::size_t>(threads)) : nullptr;
}

bool IsSameOrder(const EpochOptions& a, const EpochOptions& b) {
  return a.order == b.order && a.tail == b.tail && a.seed == b.seed && a.batch_size == b.batch_size &&
         a.rank == b.rank && a.world_size == b.world_size;
}

}  // namespace

DatasetCore::DatasetCore(const Client& client, Settings settings, const DatasetOptions& options)
    : settings_(std::move(settings)),
      options_(options),
      fingerprint_(FingerprintOf(settings_.prefix, settings_.objects)),
      engines_([client, download = OneByOne(options.download), threads = options.decode_threads](const Engine*) {
        return std::unique_ptr<Engine>(
            new Engine{MakeDecoders(threads), std::make_shared<const DownloaderCore>(client, download)});
      }) {}

DatasetCore::~DatasetCore() {
  // In a child the parent's engine stays as it is.
  Engine& engine = engines_.Get();
  if (engine.stream) engine.stream->Close();
}

std::shared_ptr<BatchStream> DatasetCore::MakeStream(const Engine& engine, std::unique_ptr<BatchOrder> order,
                                                     const Cursor& start) const {
  return BatchStream::Make(
      engine.downloads, std::move(order), start,
      {.bucket = settings_.prefix.bucket,
       .object_at = [this](std::size_t index) -> const ListedObject& { return settings_.objects[index]; },
       .work = settings_.work,
       .decoders = engine.decoders,
       .max_skipped = options_.max_skipped,
       .tally = tally_});
}

Result<void> DatasetCore::Expect(const EpochOptions& order, const Cursor& start) const {
  Engine& engine = engines_.Get();
  std::shared_ptr<BatchStream> old;
  {
    const std::scoped_lock lock(engine.mutex);
    if (engine.stream && IsSameOrder(order, engine.order) && engine.stream->IsAt(start)) return {};
    old = std::exchange(engine.stream, nullptr);
  }
  if (old) old->Close();
  auto stream = MakeStream(
      engine, std::make_unique<EpochOrder>(order, start, /*all_epochs=*/options_.fetch_across_epochs), start);
  if (auto begun = stream->Begin(); !begun) return begun;
  const std::scoped_lock lock(engine.mutex);
  engine.stream = std::move(stream);
  engine.order = order;
  return {};
}

std::shared_ptr<BatchStream> DatasetCore::Stream() const {
  Engine& engine = engines_.Get();
  const std::scoped_lock lock(engine.mutex);
  return engine.stream;
}

FinishedBatch DatasetCore::Fetch(std::span<const std::size_t> samples) const {
  if (const auto stream = Stream()) {
    if (const auto batch = stream->ClaimSamples(samples)) return stream->Await(*batch);
  }
  if (samples.empty()) return {.samples = settings_.work.make(0)};
  const Engine& engine = engines_.Get();
  const auto stream =
      MakeStream(engine, std::make_unique<GivenBatch>(std::vector(samples.begin(), samples.end())), Cursor{});
  const auto batch = stream->Claim(0);
  if (auto begun = stream->Begin(); !begun) return {.error = begun.error()};
  auto finished = stream->Await(*batch);
  stream->Close();
  return finished;
}

std::optional<FinishedBatch> DatasetCore::Next(std::uint64_t epoch) const {
  const auto stream = Stream();
  if (!stream) return std::nullopt;
  const auto batch = stream->Claim(epoch);
  if (!batch) return std::nullopt;
  return stream->Await(*batch);
}

}  // namespace gcsflux::internal
