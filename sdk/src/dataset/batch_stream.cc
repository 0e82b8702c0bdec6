#include "dataset/batch_stream.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>

#include "base/exceptions_as_errors.h"
#include "base/object_name.h"
#include "base/process/mutex.h"
#include "dataset/held_method.h"
#include "dataset/sample_context.h"

namespace gcsflux::internal {
namespace {

using Clock = std::chrono::steady_clock;

// This many sources are passed on together, so that composites can span small batches.
constexpr std::size_t kFedTogether = 1024;
// The most that is fetched of the next epoch: samples, or batches if that is more.
constexpr std::size_t kMostOfNextEpoch = 1024;
constexpr std::size_t kBatchesOfNextEpoch = 4;
// The most batches, and samples of them, that are planned beyond the fetched ones to find a batch with given samples.
constexpr std::size_t kMostAhead = 1024;
constexpr std::size_t kMostPlannedSamples = 65'536;

std::string TextOf(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& failure) {
    return failure.what();
  } catch (...) {
    return "unknown exception";
  }
}

// Failures of the object itself, which do not affect other attempts or objects.
bool IsOfObject(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kCorrupted ||
         error.code == ErrorCode::kUndecodable;
}

}  // namespace

class BatchStream::Feed : public SourceFeed {
 public:
  explicit Feed(BatchStream& stream) : stream_(stream) {}
  std::vector<DownloadSource> Next() override { return stream_.NextSources(); }
  [[nodiscard]] bool is_over() const override {
    const MutexLock lock(stream_.mutex_);
    return stream_.ended_ || (stream_.order_->is_over() && stream_.fed_ == stream_.batches_.size());
  }
  [[nodiscard]] std::uint64_t expected() const override {
    const MutexLock lock(stream_.mutex_);
    return stream_.order_->expected();
  }

 private:
  BatchStream& stream_;
};

std::shared_ptr<BatchStream> BatchStream::Make(std::shared_ptr<const DownloaderCore> core,
                                               std::unique_ptr<BatchOrder> order, const Cursor& start,
                                               Settings settings) {
  auto stream =
      OwnedByProcess(std::unique_ptr<BatchStream>(new BatchStream(std::move(order), start, std::move(settings))));
  BatchStream& it = *stream;
  it.ahead_ = std::make_unique<FetchAhead>(
      std::move(core), std::make_unique<SourceWindow>(std::make_unique<Feed>(it)),
      [&it](std::vector<ArrivedObject> objects) { it.OnArrival(std::move(objects)); },
      [&it](const Error& error) { it.End(error); },
      [&it](std::size_t first, std::size_t count) { return it.IsNeeded(first, count); },
      it.settings_.holds_samples
          ? [&it](SourceWindow&
                      sources) { return HeldMethod(sources, [&it](std::size_t index) { return it.TakeHeld(index); }); }
          : FetchAhead::MakeMethod());
  return stream;
}

BatchStream::~BatchStream() {
  Close();
  settings_.tally->RemoveDecoded(decoded_);
}

Result<void> BatchStream::BeginAwaited() {
  {
    const MutexLock lock(mutex_);
    is_of_no_epoch_ = true;
  }
  return ahead_->BeginAwaited();
}

void BatchStream::Close() {
  ahead_->Close();
  const MutexLock lock(mutex_);
  if (!ended_) ended_ = Error{ErrorCode::kCancelled, "the dataset has ended"};
  arrived_.clear();
  changed_.NotifyAll();
}

// No more samples arrive.
void BatchStream::End(const Error& error) {
  const MutexLock lock(mutex_);
  if (!ended_) ended_ = error;
  changed_.NotifyAll();
}

void BatchStream::LookAgain() {
  ahead_->LookAgain();
  const MutexLock lock(mutex_);
  changed_.NotifyAll();
}

bool BatchStream::PlanOne() {
  auto planned = order_->Next();
  if (!planned) return false;
  const std::size_t size = planned->samples.size();
  batches_.push_back({.planned = *std::move(planned), .in_order = size, .pending = size});
  unfed_ += size;
  return true;
}

// Its samples are fetched from now on.
void BatchStream::Prepare(Batch& batch) {
  if (!batch.samples) batch.samples = settings_.work.make(batch.planned.samples.size());
}

// An epoch that may never be used gets only as much as is needed for its beginning.
bool BatchStream::MayFeed(const PlannedBatch& batch) {
  if (!claimed_epoch_) claimed_epoch_ = batch.epoch;
  if (batch.epoch <= *claimed_epoch_) return true;
  return batch.epoch == *claimed_epoch_ + 1 &&
         fed_of_next_epoch_ < std::max(kMostOfNextEpoch, kBatchesOfNextEpoch * batch.samples.size());
}

// An event loop calls it. What fails here, for example if there is no memory for a batch, ends the stream.
std::vector<DownloadSource> BatchStream::NextSources() {
  const MutexLock lock(mutex_);
  if (ended_) return {};
  // Not analysed: it is called at once, under this lock, by a function that does not know the mutex.
  const auto feed = [this]() NO_THREAD_SAFETY_ANALYSIS -> Result<std::vector<DownloadSource>> { return FeedMore(); };
  auto sources = ExceptionsAsErrors(feed);
  changed_.NotifyAll();
  if (sources) return *std::move(sources);
  ended_ = sources.error();
  return {};
}

std::vector<DownloadSource> BatchStream::FeedMore() {
  std::vector<DownloadSource> sources;
  while (sources.size() < kFedTogether && (fed_ < batches_.size() || PlanOne()) && MayFeed(batches_[fed_].planned)) {
    Batch& batch = batches_[fed_++];
    batch.first = next_index_;
    batch.is_fed = true;
    unfed_ -= batch.planned.samples.size();
    if (batch.in_order == 0) continue;
    if (batch.planned.epoch > claimed_epoch_) fed_of_next_epoch_ += batch.planned.samples.size();
    Prepare(batch);
    for (std::size_t place = 0; place < batch.planned.samples.size(); ++place)
      sources.push_back(SourceOf(batch, place));
    next_index_ += batch.planned.samples.size();
  }
  return sources;
}

const ListedObject& BatchStream::ListedAt(const Batch& batch, std::size_t place) const {
  return settings_.holds_samples ? batch.planned.held[place].listed : settings_.object_at(batch.planned.samples[place]);
}

DownloadSource BatchStream::SourceOf(const Batch& batch, std::size_t place) const {
  const ListedObject& object = ListedAt(batch, place);
  if (settings_.source_of) return settings_.source_of(batch.planned.samples[place], object);
  return {{settings_.bucket, object.name}, object.size, object.generation, object.crc32c, object.kms_key_name};
}

// Datasets that were joined may be in different buckets.
std::string BatchStream::UriOf(const Batch& batch, std::size_t place) const {
  const ListedObject& listed = ListedAt(batch, place);
  const bool has_sources = settings_.source_of && !settings_.holds_samples;
  return ToUri({has_sources ? SourceOf(batch, place).object.bucket : settings_.bucket, listed.name});
}

bool BatchStream::IsAt(const Cursor& cursor) {
  const MutexLock lock(mutex_);
  if (ended_) return false;
  const auto next = std::ranges::find_if(batches_, [](const Batch& batch) { return !batch.is_claimed; });
  if (next == batches_.end() && order_->is_over()) return false;
  if (std::any_of(next, batches_.end(), [](const Batch& batch) { return batch.is_claimed; })) return false;
  return cursor == (next == batches_.begin() ? before_ : std::prev(next)->planned.cursor);
}

Result<std::optional<std::uint64_t>> BatchStream::Claim(std::uint64_t epoch) {
  MutexLock lock(mutex_);
  while (true) {
    const auto next = std::ranges::find_if(batches_, [](const Batch& batch) { return !batch.is_claimed; });
    if (next != batches_.end()) {
      const PlannedBatch& planned = next->planned;
      if (epoch < planned.claimed_from || epoch > planned.epoch) return std::optional<std::uint64_t>();
      return std::optional(ClaimAt(static_cast<std::size_t>(next - batches_.begin()), lock));
    }
    if (PlanOne()) continue;
    if (ended_) return *ended_;
    if (order_->error()) return *order_->error();
    if (order_->is_over()) return std::optional<std::uint64_t>();
    changed_.Wait(lock);
  }
}

std::optional<std::uint64_t> BatchStream::ClaimSamples(std::uint64_t epoch, std::span<const std::size_t> samples) {
  MutexLock lock(mutex_);
  std::size_t unclaimed = 0;
  for (std::size_t position = 0; position < fed_ + kMostAhead; ++position) {
    if (position == batches_.size() && (!MayPlan(unclaimed, samples.size()) || !PlanOne())) return std::nullopt;
    const Batch& batch = batches_[position];
    if (batch.is_claimed) continue;
    ++unclaimed;
    if (batch.planned.epoch != epoch) return std::nullopt;
    if (std::ranges::equal(batch.planned.samples, samples)) return ClaimAt(position, lock);
  }
  return std::nullopt;
}

// The next unclaimed batch is always planned. So is the one behind it, which the second of two workers may request
// first. Further ones are planned if they are small.
bool BatchStream::MayPlan(std::size_t unclaimed, std::size_t wanted) const {
  if (unclaimed == 0) return true;
  const std::size_t last = batches_.back().planned.samples.size();
  return unfed_ + last <= kMostPlannedSamples || (unclaimed == 1 && wanted == last);
}

// Not analysed: it returns without the lock.
std::uint64_t BatchStream::ClaimAt(std::size_t position, MutexLock<Mutex>& lock) NO_THREAD_SAFETY_ANALYSIS {
  Batch& batch = batches_[position];
  const auto here = batches_.begin() + static_cast<std::ptrdiff_t>(position);
  if (!std::all_of(batches_.begin(), here, [](const Batch& before) { return before.is_claimed; })) {
    // The batches before it may hold the budget for ever.
    batch.in_order = batch.is_fed ? std::min(batch.in_order, begun_ - std::min(begun_, batch.first)) : 0;
  }
  Prepare(batch);
  batch.is_claimed = true;
  const std::uint64_t number = taken_ + position;
  const std::uint64_t charge = std::exchange(batch.charge, 0);
  settings_.tally->RemoveDecoded(batch.ahead);
  decoded_ -= batch.ahead;
  const bool begins_epoch = claimed_epoch_ && batch.planned.epoch > *claimed_epoch_;
  if (begins_epoch) {
    claimed_epoch_ = batch.planned.epoch;
    fed_of_next_epoch_ = 0;
  }
  lock.unlock();
  if (begins_epoch) ahead_->LookAgain();
  if (charge > 0) ahead_->GiveBack(charge);
  OfferToDecoders();  // More may be decoded now.
  return number;
}

// Nothing if the sample is fetched beside the order.
std::optional<BatchStream::Turn> BatchStream::TurnOf(std::size_t index) const {
  const auto fed_end = batches_.begin() + static_cast<std::ptrdiff_t>(fed_);
  auto batch = std::upper_bound(batches_.begin(), fed_end, index,
                                [](std::size_t i, const Batch& other) { return i < other.first; });
  if (batch == batches_.begin()) return std::nullopt;  // Its batch was taken.
  --batch;
  const std::size_t place = index - batch->first;
  if (place >= batch->in_order) return std::nullopt;
  return Turn{taken_ + static_cast<std::uint64_t>(batch - batches_.begin()), place};
}

// Nothing if its batch was taken.
HeldSample BatchStream::TakeHeld(std::size_t index) {
  const MutexLock lock(mutex_);
  const auto turn = TurnOf(index);
  if (!turn) return {};
  HeldSample& held = Numbered(turn->first).planned.held[turn->second];
  return {.memory = std::move(held.memory), .bytes = held.bytes};
}

bool BatchStream::IsNeeded(std::size_t first, std::size_t count) {
  const MutexLock lock(mutex_);
  begun_ = std::max(begun_, first + count);
  for (std::size_t index = first; index < first + count; ++index) {
    if (TurnOf(index)) return true;
  }
  return false;
}

void BatchStream::OnArrival(std::vector<ArrivedObject> objects) {
  std::uint64_t given_back = 0;
  std::vector<std::size_t> indices;
  {
    MutexLock lock(mutex_);
    for (ArrivedObject& arrived : objects) {
      const std::size_t index = arrived.object.index;
      indices.push_back(index);
      const auto turn = TurnOf(index);
      const bool is_ahead = turn && !Numbered(turn->first).is_claimed;
      (is_ahead ? Numbered(turn->first).charge : given_back) += arrived.charge;
      if (turn) Add(lock, *turn, std::move(arrived));
    }
    changed_.NotifyAll();
  }
  for (const std::size_t index : indices) ahead_->Drop(index);
  if (given_back > 0) ahead_->GiveBack(given_back);
  OfferToDecoders();
}

void BatchStream::Add(MutexLock<Mutex>& lock, Turn turn, ArrivedObject arrived) {
  if (ended_) return;
  settings_.tally->NoteArrival(arrived.took, arrived.object.bytes.size(),
                               [&]() NO_THREAD_SAFETY_ANALYSIS { return UriOf(Numbered(turn.first), turn.second); });
  const auto place = arrived_.emplace(turn, std::move(arrived.object)).first;
  if (settings_.work.is_instant) Decode(lock, arrived_.extract(place));
}

// The samples of a claimed batch that are not fetched in the order.
Result<std::shared_ptr<FetchAhead>> BatchStream::FetchBeside(std::uint64_t number, const Batch& batch) {
  std::vector<DownloadSource> sources;
  for (std::size_t place = batch.in_order; place < batch.planned.samples.size(); ++place)
    sources.push_back(SourceOf(batch, place));
  const auto on_arrival = [this, number, first = batch.in_order](std::vector<ArrivedObject> objects) {
    {
      MutexLock lock(mutex_);
      for (ArrivedObject& arrived : objects) Add(lock, {number, first + arrived.object.index}, std::move(arrived));
      changed_.NotifyAll();
    }
    OfferToDecoders();
  };
  auto beside = OwnedByProcess(std::make_unique<FetchAhead>(ahead_->shared_core(),
                                                            std::make_unique<SourceWindow>(std::move(sources)),
                                                            on_arrival, [this](const Error& error) { End(error); }));
  if (auto begun = beside->BeginAwaited(); !begun) return begun.error();
  return beside;
}

void BatchStream::OfferToDecoders() {
  if (settings_.work.is_instant) return;
  if (const auto decoders = settings_.decoders.lock()) decoders->Offer(shared_from_this());
}

std::function<void()> BatchStream::Take() {
  const MutexLock lock(mutex_);
  if (NextToDecode() == arrived_.end()) return nullptr;
  return [self = shared_from_this()] { self->DecodeAnyone(); };
}

// An object of the earliest batch. If enough is decoded ahead, only claimed batches count.
BatchStream::Arrived::iterator BatchStream::NextToDecode() {
  const bool is_full =
      decoded_.samples >= settings_.max_decoded_samples || decoded_.bytes >= settings_.max_decoded_bytes;
  if (!is_full) return arrived_.begin();
  for (auto next = arrived_.begin(); next != arrived_.end(); next = arrived_.lower_bound({next->first.first + 1, 0})) {
    if (Numbered(next->first.first).is_claimed) return next;
  }
  return arrived_.end();
}

void BatchStream::DecodeAnyone() {
  MutexLock lock(mutex_);
  if (const auto next = NextToDecode(); next != arrived_.end()) Decode(lock, arrived_.extract(next));
}

// An unclaimed batch has more decoded samples.
void BatchStream::Count(Batch& batch, const DecodedAhead& more) {
  if (batch.is_claimed || settings_.work.is_instant) return;
  batch.ahead += more;
  decoded_ += more;
  settings_.tally->AddDecoded(more);
}

void BatchStream::Decode(MutexLock<Mutex>& lock, Arrived::node_type object) {
  Batch& batch = Numbered(object.key().first);  // The reference stays valid, because a sample of it is pending.
  const std::size_t place = object.key().second;
  const std::size_t index = batch.planned.samples[place];
  const ListedObject& listed = ListedAt(batch, place);
  const SampleContext context = ContextOf(batch.planned.seed, batch.planned.epoch, index);
  DownloadedObject& downloaded = object.mapped();
  DecodedSample made;
  Count(batch, {.samples = 1});
  lock.unlock();
  const std::size_t bytes = downloaded.bytes.size();
  if (!downloaded.error) {
    const auto start = Clock::now();
    made = settings_.work.decode(batch.samples.get(), place, listed, downloaded, context);
    if (!settings_.work.is_instant) settings_.tally->NoteDecoding(Clock::now() - start);
  }
  auto error = std::move(downloaded.error);
  object = {};  // Its memory is released before the batch is complete.
  lock.lock();
  Count(batch, {.bytes = made.bytes});
  if (error || made.exception) {
    Note(batch, place, std::move(error), std::move(made.exception));
  } else {
    batch.bytes += bytes;
  }
  if (--batch.pending == 0) changed_.NotifyAll();
}

void BatchStream::Note(Batch& batch, std::size_t place, std::optional<Error> error, std::exception_ptr exception) {
  if (MaySkip(batch, place, error, exception)) {
    batch.skipped.push_back(place);
    return;
  }
  const bool has_failed = batch.error || batch.exception;
  if (has_failed && batch.failed < place) return;
  batch.failed = place;
  batch.error = std::move(error);
  batch.exception = std::move(exception);
}

bool BatchStream::MaySkip(const Batch& batch, std::size_t place, const std::optional<Error>& error,
                          const std::exception_ptr& exception) {
  if (settings_.max_skipped == 0 || (error && !IsOfObject(*error))) return false;
  return settings_.tally->Skip(settings_.max_skipped,
                               {.name = UriOf(batch, place), .reason = error ? error->message : TextOf(exception)});
}

FinishedBatch BatchStream::Await(std::uint64_t number) {
  std::shared_ptr<FetchAhead> beside;  // It ends without the lock.
  std::chrono::nanoseconds waited{0};
  MutexLock lock(mutex_);
  Batch& batch = Numbered(number);
  if (batch.in_order < batch.planned.samples.size()) {
    lock.unlock();
    auto begun = FetchBeside(number, batch);
    if (!begun) return {.error = begun.error()};
    beside = *std::move(begun);
    lock.lock();
  }
  while (!IsDone(batch)) {
    const auto ready = arrived_.lower_bound({number, 0});
    if (ready != arrived_.end() && ready->first.first == number) {
      Decode(lock, arrived_.extract(ready));
      continue;
    }
    const auto start = Clock::now();
    changed_.Wait(lock);
    waited += Clock::now() - start;
  }
  settings_.tally->NoteWait(waited);
  // Decode threads still write into it, so it must stay.
  if (batch.pending > 0) return {.error = *ended_};
  const std::size_t samples = batch.planned.samples.size() - batch.skipped.size();
  if (!batch.error && !batch.exception && samples > 0) {
    settings_.tally->NoteBatch({.epoch = is_of_no_epoch_ ? std::nullopt : std::optional(batch.planned.epoch),
                                .samples = samples,
                                .bytes = batch.bytes});
  }
  return TakeOut(batch);
}

FinishedBatch BatchStream::TakeOut(Batch& batch) {
  std::ranges::sort(batch.skipped);
  FinishedBatch finished{.samples = std::move(batch.samples),
                         .skipped = std::move(batch.skipped),
                         .size = batch.planned.samples.size(),
                         .cursor = batch.planned.cursor,
                         .error = std::move(batch.error),
                         .exception = std::move(batch.exception)};
  batch.is_taken = true;
  while (!batches_.empty() && batches_.front().is_taken) {
    Batch& front = batches_.front();
    if (front.is_fed) {
      --fed_;
    } else {
      unfed_ -= front.planned.samples.size();
    }
    before_ = std::move(front.planned.cursor);
    batches_.pop_front();
    ++taken_;
  }
  return finished;
}

}  // namespace gcsflux::internal
