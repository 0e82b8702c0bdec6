#include "dataset/dataset_core.h"

#include <string>
#include <utility>

#include "base/object_name.h"
#include "base/process/owner_process.h"
#include "client/client_core.h"
#include "dataset/fingerprint.h"
#include "dataset/given_order.h"
#include "dataset/shard_order.h"

namespace gcsflux::internal {
namespace {

// The core is told of each failure.
DownloaderOptions OneByOne(DownloaderOptions options) {
  options.delivers_failures = true;
  return options;
}

std::shared_ptr<DecodeThreads> MakeDecoders(int threads) {
  return threads > 0 ? std::make_shared<DecodeThreads>(static_cast<std::size_t>(threads)) : nullptr;
}

// What is under a customer-supplied key must not be on a disk without one.
std::optional<CacheOptions> CacheOf(const DatasetOptions& options) {
  return options.download.encryption_key ? std::nullopt : options.cache;
}

std::shared_ptr<DiskCache> MakeCache(const Client& client, const std::optional<CacheOptions>& options,
                                     const std::shared_ptr<CacheTally>& tally) {
  if (!options) return nullptr;
  const auto report = [client, directory = options->directory](const Error& error) {
    CoreOf(client).observer().Report({.kind = EventKind::kCacheUnusable, .subject = directory, .error = &error});
  };
  return std::make_shared<DiskCache>(*options, CoreOf(client).endpoint(), tally, report);
}

// The fingerprint of a listing that has not begun: its first 0 objects.
ListingFingerprint FingerprintAtFirst(const DatasetCore::Settings& settings) {
  auto fingerprint = FingerprintOf(settings.prefix, settings.scanned ? *settings.scanned : settings.objects);
  fingerprint.is_partial = settings.is_live;
  return fingerprint;
}

// It does not copy them.
std::shared_ptr<const LiveListing> AllOf(const std::shared_ptr<const DatasetCore::Settings>& settings) {
  return std::make_shared<const LiveListing>(
      std::shared_ptr<const std::vector<ListedObject>>(settings, &settings->objects));
}

bool IsSameOrder(const EpochOptions& a, const EpochOptions& b) {
  return a.sample_order() == b.sample_order() && a.tail == b.tail && a.seed == b.seed && a.batch_size == b.batch_size &&
         a.shuffle_buffer == b.shuffle_buffer && a.rank == b.rank && a.world_size == b.world_size &&
         a.epochs == b.epochs && a.given.has_value() == b.given.has_value() &&
         (!a.given || &a.given->shared() == &b.given->shared());
}

}  // namespace

DatasetCore::DatasetCore(const Client& client, Settings settings, const DatasetOptions& options)
    : client_(client),
      settings_(std::make_shared<const Settings>(std::move(settings))),
      options_(options),
      fingerprint_(FingerprintAtFirst(*settings_)),
      known_([settings = settings_](std::size_t index) -> const ListedObject& { return settings->objects[index]; }),
      made_with_(client.counters()),
      engines_([client, download = OneByOne(options.download), threads = options.decode_threads,
                cache_options = CacheOf(options), tally = cache_tally_](const Engine*) {
        auto cache = MakeCache(client, cache_options, tally);
        auto downloads = std::make_shared<const DownloaderCore>(client, download, cache);
        return std::unique_ptr<Engine>(new Engine{MakeDecoders(threads), std::move(cache), std::move(downloads)});
      }) {}

DatasetCore::~DatasetCore() {
  // In a child the parent's engine stays unchanged.
  Engine& engine = engines_.Get();
  engine.lister.reset();
  engine.scan.reset();
  if (engine.stream) engine.stream->Close();
}

std::shared_ptr<BatchStream> DatasetCore::MakeStream(const Engine& engine, std::unique_ptr<BatchOrder> order,
                                                     const Cursor& start, ObjectAt object_at) const {
  return BatchStream::Make(engine.downloads, std::move(order), start,
                           {.bucket = settings_->prefix.bucket,
                            .object_at = std::move(object_at),
                            .source_of = settings_->source_of,
                            .work = settings_->work,
                            .decoders = engine.decoders,
                            .max_skipped = options_.max_skipped,
                            .max_decoded_samples = options_.max_decoded_samples,
                            .max_decoded_bytes = options_.max_decoded_bytes,
                            .tally = tally_,
                            .holds_samples = settings_->scanned != nullptr});
}

// The listing of this process: its objects are known, or it starts now. If it failed or found nothing, it starts again.
Result<std::shared_ptr<const LiveListing>> DatasetCore::ListingOf(Engine& engine) const {
  const MutexLock one_at_a_time(engine.listing_mutex);
  if (engine.listing) {
    const LiveListing::State state = engine.listing->state();
    if (!settings_->is_live || (!state.error && !(state.is_over && state.known == 0))) return engine.listing;
  }
  if (!settings_->is_live) return engine.listing = AllOf(settings_);
  ParallelListOptions options = options_.listing;
  options.include_directory_markers = false;
  auto lister = BackgroundListing::Start(client_, settings_->prefix, options, [this, &engine] {
    if (const auto stream = StreamOf(engine)) stream->LookAgain();
  });
  if (!lister) return lister.error();
  engine.lister = *std::move(lister);
  return engine.listing = engine.lister->objects();
}

std::optional<std::uint64_t> DatasetCore::count() const {
  if (settings_->scanned) return std::nullopt;
  if (!settings_->is_live) return settings_->objects.size();
  Engine& engine = engines_.Get();
  const MutexLock lock(engine.listing_mutex);
  if (!engine.listing) return std::nullopt;
  const LiveListing::State state = engine.listing->state();
  return state.is_over && !state.error ? std::optional<std::uint64_t>(state.known) : std::nullopt;
}

Result<void> DatasetCore::Check(const EpochOptions& order, const EpochStart& start) const {
  if (settings_->scanned) return CheckShardStart(order, start, fingerprint_);
  auto listing = settings_->is_live ? std::make_shared<const LiveListing>() : AllOf(settings_);
  if (auto prepared = PrepareGiven(order, settings_->objects.size(), start.cursor.epoch); !prepared) return prepared;
  return EpochOrder(order, start, fingerprint_, /*all_epochs=*/false, std::move(listing)).Begin();
}

Result<std::shared_ptr<BatchStream>> DatasetCore::StreamInOrder(Engine& engine, const EpochOptions& order,
                                                                const EpochStart& start) const {
  if (settings_->scanned) {
    if (auto checked = CheckShardStart(order, start, fingerprint_); !checked) return checked.error();
    StopScan(engine);
    auto scan = StartScan(engine, order, start);
    if (!scan) return scan.error();
    auto batches =
        std::make_unique<ShardOrder>(order, start, fingerprint_, options_.fetch_across_epochs, (*scan)->samples());
    if (const auto error = batches->error()) return *error;
    const MutexLock lock(engine.mutex);
    engine.scan = *std::move(scan);
    return MakeStream(engine, std::move(batches), start.cursor, nullptr);
  }
  auto listing = ListingOf(engine);
  if (!listing) return listing.error();
  auto batches = std::make_unique<EpochOrder>(order, start, fingerprint_, options_.fetch_across_epochs, *listing);
  if (auto begun = batches->Begin(); !begun) return begun.error();
  return MakeStream(engine, std::move(batches), start.cursor,
                    [objects = *listing](std::size_t index) -> const ListedObject& { return objects->At(index); });
}

Result<std::unique_ptr<ShardScan>> DatasetCore::StartScan(Engine& engine, const EpochOptions& order,
                                                          const EpochStart& start) const {
  const ShardPosition position = PositionOf(start);
  const auto places = std::make_shared<ShardPlaces>(order, settings_->scanned->size());
  const bool all_epochs = options_.fetch_across_epochs;
  return ShardScan::Start(
      client_, {.bucket = settings_->prefix.bucket,
                .shards = settings_->scanned,
                .shard_at = [places](std::uint64_t epoch, std::uint64_t place) { return places->At(epoch, place); },
                .epoch = start.cursor.epoch,
                .place = position.shard,
                .has_epoch = [all_epochs, epochs = order.epochs](
                                 std::uint64_t epoch) { return all_epochs && (!epochs || epoch < *epochs); },
                .encryption_key = options_.download.encryption_key,
                .call = options_.download.call,
                .cache = engine.cache,
                .on_growth =
                    [this, &engine] {
                      if (const auto stream = StreamOf(engine)) stream->LookAgain();
                    }});
}

// Before another one begins. Its thread takes the lock, so it ends without it.
void DatasetCore::StopScan(Engine& engine) const {
  std::unique_ptr<ShardScan> old;
  const MutexLock lock(engine.mutex);
  old = std::move(engine.scan);
}

Result<void> DatasetCore::Expect(const EpochOptions& order, const EpochStart& start) const {
  if (auto prepared = PrepareGivenFrom(order, settings_->objects.size(), start.cursor.epoch); !prepared)
    return prepared;
  Engine& engine = engines_.Get();
  {
    const MutexLock lock(engine.mutex);
    const bool is_same_start = start.cursor != engine.start.cursor || start == engine.start;
    if (engine.stream && IsSameOrder(order, engine.order) && is_same_start && engine.stream->IsAt(start.cursor)) {
      engine.epoch = start.cursor.epoch;
      return {};
    }
  }
  auto stream = StreamInOrder(engine, order, start);
  if (!stream) return stream.error();
  std::shared_ptr<BatchStream> old;
  {
    const MutexLock lock(engine.mutex);
    old = std::exchange(engine.stream, nullptr);
  }
  if (old) old->Close();
  if (auto begun = (*stream)->Begin(); !begun) return begun;
  {
    const MutexLock lock(engine.mutex);
    engine.stream = *stream;
    engine.order = order;
    engine.start = start;
    engine.epoch = start.cursor.epoch;
  }
  (*stream)->LookAgain();  // The listing may have grown before it could report it.
  return {};
}

std::shared_ptr<BatchStream> DatasetCore::StreamOf(Engine& engine) {
  const MutexLock lock(engine.mutex);
  return engine.stream;
}

// A program may look at one batch before it begins.
void DatasetCore::NoteUnannounced() const {
  if (++unannounced_ != 2) return;
  const std::string prefix = ToUri(settings_->prefix);
  CoreOf(client_).observer().Report(
      {.kind = EventKind::kUnannouncedOrder,
       .subject = prefix,
       .bucket = settings_->prefix.bucket,
       .what = "make its loader by MakeDataLoader() (gcsflux/torch/data_loader.h), or give an EpochSampler to yours"});
}

FinishedBatch DatasetCore::Fetch(std::span<const std::size_t> samples) const {
  Engine& engine = engines_.Get();
  MutexLock lock(engine.mutex);
  const auto announced = engine.stream;
  const auto [seed, epoch] = std::pair(engine.order.seed, engine.epoch);
  lock.unlock();
  if (announced) {
    if (const auto batch = announced->ClaimSamples(epoch, samples)) return announced->Await(*batch);
  }
  if (samples.empty()) return {.samples = settings_->work.make(0)};
  if (!announced) NoteUnannounced();
  const auto stream = MakeStream(
      engine, std::make_unique<GivenBatch>(std::vector(samples.begin(), samples.end()), seed, epoch), {}, known_);
  const auto batch = stream->Claim(epoch);  // Before it begins: what arrives is not ahead.
  if (auto begun = stream->BeginAwaited(); !begun) return {.error = begun.error()};
  auto finished = stream->Await(**batch);
  stream->Close();
  return finished;
}

Result<std::optional<FinishedBatch>> DatasetCore::Next(std::uint64_t epoch) const {
  const auto stream = StreamOf(engines_.Get());
  if (!stream && !owner_.IsCurrent()) return owner_.Refuse("the loop over the dataset");
  if (!stream) return Error{ErrorCode::kInvalidArgument, "no loop over the dataset has begun; call Epoch() or reset()"};
  const auto batch = stream->Claim(epoch);
  if (!batch) return batch.error();
  if (!*batch) return std::optional<FinishedBatch>();
  return std::optional(stream->Await(**batch));
}

DatasetReport DatasetCore::report(const OperationPrices& prices) const {
  DatasetReport report = tally_->report();
  report.elapsed = std::chrono::steady_clock::now() - made_at_;
  const DeliveryBudget& budget = CoreOf(client_).delivery_budget();
  report.held_bytes = budget.held();
  report.max_held_bytes = budget.most_held();
  report.client = client_.counters() - made_with_;
  report.price = PriceOf(report.client, prices);
  report.composition = engines_.Get().downloads->composition_report();
  report.cache = cache_tally_->report();
  return report;
}

}  // namespace gcsflux::internal
