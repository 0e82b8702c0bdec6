#include "dataset/batch_stream.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>

#include "base/object_name.h"

namespace gcsflux::internal {
namespace {

using Clock = std::chrono::steady_clock;

// This many sources are passed on together, so that composites can span small batches.
constexpr std::size_t kFedTogether = 1024;
// The most that is fetched of the next epoch: samples, or batches if that is more.
constexpr std::size_t kMostOfNextEpoch = 1024;
constexpr std::size_t kBatchesOfNextEpoch = 4;
// The most batches beyond the fetched ones that are searched for a batch with given samples.
constexpr std::size_t kMostAhead = 1024;

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
    const std::scoped_lock lock(stream_.mutex_);
    return stream_.order_->is_over() && stream_.fed_ == stream_.batches_.size();
  }
  [[nodiscard]] std::uint64_t expected() const override {
    const std::scoped_lock lock(stream_.mutex_);
    return stream_.order_->expected();
  }

 private:
  BatchStream& stream_;
};

std::shared_ptr<BatchStream> BatchStream::Make(std::shared_ptr<const DownloaderCore> core,
                                               std::unique_ptr<BatchOrder> order, const Cursor& start,
                                               Settings settings) {
  auto stream =
      BoundToProcess(std::unique_ptr<BatchStream>(new BatchStream(std::move(order), start, std::move(settings))));
  BatchStream& it = *stream;
  it.ahead_ =
      std::make_unique<FetchAhead>(std::move(core), std::make_unique<SourceWindow>(std::make_unique<Feed>(it)),
                                   [&it](std::vector<ArrivedObject> objects) { it.OnArrival(std::move(objects)); });
  return stream;
}

BatchStream::~BatchStream() { Close(); }

void BatchStream::Close() {
  ahead_->Close();
  const std::scoped_lock lock(mutex_);
  is_closed_ = true;
  arrived_.clear();
  changed_.Ring();
}

void BatchStream::LookAgain() {
  ahead_->LookAgain();
  const std::scoped_lock lock(mutex_);
  changed_.Ring();
}

bool BatchStream::PlanOne() {
  auto planned = order_->Next();
  if (!planned) return false;
  const std::size_t size = planned->samples.size();
  batches_.push_back({.planned = *std::move(planned), .samples = settings_.work.make(size), .pending = size});
  return true;
}

// An epoch that may never be used gets only as much as is needed for its beginning.
bool BatchStream::MayFeed(const PlannedBatch& batch) {
  if (!claimed_epoch_) claimed_epoch_ = batch.epoch;
  if (batch.epoch == *claimed_epoch_) return true;
  return batch.epoch == *claimed_epoch_ + 1 &&
         fed_of_next_epoch_ < std::max(kMostOfNextEpoch, kBatchesOfNextEpoch * batch.samples.size());
}

std::vector<DownloadSource> BatchStream::NextSources() {
  std::vector<DownloadSource> sources;
  const std::scoped_lock lock(mutex_);
  while (sources.size() < kFedTogether && (fed_ < batches_.size() || PlanOne()) && MayFeed(batches_[fed_].planned)) {
    Batch& batch = batches_[fed_++];
    if (batch.planned.epoch != claimed_epoch_) fed_of_next_epoch_ += batch.planned.samples.size();
    batch.first = next_index_;
    batch.is_fed = true;
    for (const std::size_t sample : batch.planned.samples) {
      const ListedObject& object = settings_.object_at(sample);
      sources.push_back({{settings_.bucket, object.name}, object.size, object.generation, object.crc32c});
    }
    next_index_ += batch.planned.samples.size();
  }
  changed_.Ring();
  return sources;
}

bool BatchStream::IsAt(const Cursor& cursor) {
  const std::scoped_lock lock(mutex_);
  const auto next = std::ranges::find_if(batches_, [](const Batch& batch) { return !batch.is_claimed; });
  if (next == batches_.end() && order_->is_over()) return false;
  if (std::any_of(next, batches_.end(), [](const Batch& batch) { return batch.is_claimed; })) return false;
  return cursor == (next == batches_.begin() ? before_ : std::prev(next)->planned.cursor);
}

Result<std::optional<std::uint64_t>> BatchStream::Claim(std::uint64_t epoch) {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto next = std::ranges::find_if(batches_, [](const Batch& batch) { return !batch.is_claimed; });
    if (next != batches_.end()) {
      const PlannedBatch& planned = next->planned;
      if (epoch < planned.claimed_from || epoch > planned.epoch) return std::optional<std::uint64_t>();
      return std::optional(ClaimAt(static_cast<std::size_t>(next - batches_.begin()), lock));
    }
    if (PlanOne()) continue;
    if (is_closed_) return Error{ErrorCode::kCancelled, "the dataset has ended"};
    if (order_->error()) return *order_->error();
    if (order_->is_over()) return std::optional<std::uint64_t>();
    changed_.Wait(lock);
  }
}

std::optional<std::uint64_t> BatchStream::ClaimSamples(std::span<const std::size_t> samples) {
  std::unique_lock lock(mutex_);
  for (std::size_t position = 0; position < fed_ + kMostAhead; ++position) {
    if (position == batches_.size() && !PlanOne()) return std::nullopt;
    const Batch& batch = batches_[position];
    if (!batch.is_claimed && std::ranges::equal(batch.planned.samples, samples)) return ClaimAt(position, lock);
  }
  return std::nullopt;
}

std::uint64_t BatchStream::ClaimAt(std::size_t position, std::unique_lock<std::mutex>& lock) {
  Batch& batch = batches_[position];
  batch.is_claimed = true;
  const std::uint64_t number = taken_ + position;
  const std::uint64_t charge = std::exchange(batch.charge, 0);
  const bool begins_epoch = claimed_epoch_ && batch.planned.epoch > *claimed_epoch_;
  if (begins_epoch) {
    claimed_epoch_ = batch.planned.epoch;
    fed_of_next_epoch_ = 0;
  }
  lock.unlock();
  if (begins_epoch) ahead_->LookAgain();
  if (charge > 0) ahead_->GiveBack(charge);
  return number;
}

BatchStream::Batch& BatchStream::BatchOf(std::size_t index) {
  const auto fed_end = batches_.begin() + static_cast<std::ptrdiff_t>(fed_);
  const auto behind = std::upper_bound(batches_.begin(), fed_end, index,
                                       [](std::size_t i, const Batch& batch) { return i < batch.first; });
  return *std::prev(behind);
}

void BatchStream::OnArrival(std::vector<ArrivedObject> objects) {
  std::uint64_t given_back = 0;
  std::vector<std::size_t> indices;
  {
    std::unique_lock lock(mutex_);
    for (ArrivedObject& arrived : objects) {
      const std::size_t index = arrived.object.index;
      indices.push_back(index);
      Batch& batch = BatchOf(index);
      (batch.is_claimed ? given_back : batch.charge) += arrived.charge;
      settings_.tally->NoteArrival(arrived.took, arrived.object.bytes.size(), [&] {
        return ToUri({settings_.bucket, settings_.object_at(batch.planned.samples[index - batch.first]).name});
      });
      const auto place = arrived_.emplace(index, std::move(arrived.object)).first;
      if (settings_.work.is_instant) Decode(lock, arrived_.extract(place));
    }
    changed_.Ring();
  }
  for (const std::size_t index : indices) ahead_->Drop(index);
  if (given_back > 0) ahead_->GiveBack(given_back);
  if (settings_.work.is_instant) return;
  if (const auto decoders = settings_.decoders.lock()) decoders->Offer(shared_from_this());
}

std::function<void()> BatchStream::Take() {
  const std::scoped_lock lock(mutex_);
  if (arrived_.empty()) return nullptr;
  return [self = shared_from_this()] { self->DecodeAnyone(); };
}

// Decodes an object of the earliest batch first.
void BatchStream::DecodeAnyone() {
  std::unique_lock lock(mutex_);
  if (!arrived_.empty()) Decode(lock, arrived_.extract(arrived_.begin()));
}

void BatchStream::Decode(std::unique_lock<std::mutex>& lock, Arrived::node_type object) {
  Batch& batch = BatchOf(object.key());  // The reference stays valid, because a sample of it is pending.
  const std::size_t place = object.key() - batch.first;
  const ListedObject& listed = settings_.object_at(batch.planned.samples[place]);
  DownloadedObject& downloaded = object.mapped();
  std::exception_ptr exception;
  lock.unlock();
  const std::size_t bytes = downloaded.bytes.size();
  if (!downloaded.error) {
    const auto start = Clock::now();
    exception = settings_.work.decode(batch.samples.get(), place, listed, downloaded);
    if (!settings_.work.is_instant) settings_.tally->NoteDecoding(Clock::now() - start);
  }
  auto error = std::move(downloaded.error);
  object = {};  // Its memory is released before the batch is complete.
  lock.lock();
  if (error || exception) {
    Note(batch, place, std::move(error), std::move(exception));
  } else {
    batch.bytes += bytes;
  }
  if (--batch.pending == 0) changed_.Ring();
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
  const std::string& name = settings_.object_at(batch.planned.samples[place]).name;
  return settings_.tally->Skip(settings_.max_skipped, {.name = ToUri({settings_.bucket, name}),
                                                       .reason = error ? error->message : TextOf(exception)});
}

FinishedBatch BatchStream::Await(std::uint64_t number) {
  std::chrono::nanoseconds waited{0};
  std::unique_lock lock(mutex_);
  Batch& batch = batches_[static_cast<std::size_t>(number - taken_)];
  while (!IsDone(batch)) {
    const auto ready = batch.is_fed ? arrived_.lower_bound(batch.first) : arrived_.end();
    if (ready != arrived_.end() && ready->first < batch.first + batch.planned.samples.size()) {
      Decode(lock, arrived_.extract(ready));
      continue;
    }
    const auto start = Clock::now();
    changed_.Wait(lock);
    waited += Clock::now() - start;
  }
  // Decode threads still write into it, so it must stay.
  if (batch.pending > 0) return {.error = Error{ErrorCode::kCancelled, "the dataset has ended"}};
  settings_.tally->NoteBatch({.epoch = batch.planned.epoch,
                              .samples = batch.planned.samples.size() - batch.skipped.size(),
                              .bytes = batch.bytes,
                              .waited = waited});
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
    before_ = std::move(batches_.front().planned.cursor);
    batches_.pop_front();
    ++taken_;
    --fed_;
  }
  return finished;
}

}  // namespace gcsflux::internal
