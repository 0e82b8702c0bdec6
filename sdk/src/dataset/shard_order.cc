#include "dataset/shard_order.h"

#include <limits>
#include <string>
#include <utility>

#include "base/object_name.h"

namespace gcsflux::internal {
namespace {

// Larger ones are as good as this: there is no memory for so many samples.
constexpr std::uint64_t kMostBuffered = std::uint64_t{1} << 40;

std::uint64_t CapacityOf(const EpochOptions& options) {
  return options.sample_order() == SampleOrder::kByName ? 1 : std::min(options.shuffle_buffer, kMostBuffered);
}

Error Refused(const ListingFingerprint& shards, const std::string& why) {
  return {ErrorCode::kInvalidArgument, "shards " + ToUri({shards.bucket, shards.prefix}) + " without an index: " + why};
}

constexpr const char* kMakeIndex = "; run `gcsflux shards index`, then ranks share samples";

}  // namespace

std::optional<std::size_t> ShardPlaces::At(std::uint64_t epoch, std::uint64_t place) {
  const std::uint64_t mine = (shards_ - options_.rank + options_.world_size - 1) / options_.world_size;
  if (options_.rank >= shards_ || place >= mine) return std::nullopt;
  const std::uint64_t position = options_.rank + place * options_.world_size;
  if (options_.sample_order() != SampleOrder::kShuffled) return static_cast<std::size_t>(position);
  if (epoch_ != epoch) permutation_.emplace(shards_, options_.seed, epoch);
  epoch_ = epoch;
  return static_cast<std::size_t>((*permutation_)(position));
}

Result<void> CheckShardStart(const EpochOptions& options, const EpochStart& start, const ListingFingerprint& shards) {
  if (options.sample_order() == SampleOrder::kGiven) {
    return Refused(shards, "an order of indices needs to know all samples" + std::string(kMakeIndex));
  }
  if (shards.count < options.world_size) {
    return Refused(shards, std::to_string(shards.count) + " shards are too few for " +
                               std::to_string(options.world_size) + " ranks" + kMakeIndex);
  }
  Cursor beginning = start.cursor;  // What is left of it is not counted in shards.
  beginning.consumed = 0;
  auto checked = CheckCursor(beginning, shards, options, start.allow_changed_listing);
  if (!checked || start.cursor.consumed == 0) return checked;
  const auto& position = start.cursor.shards;
  if (!position) return Refused(shards, "the cursor is of shards with an index; begin without a cursor");
  if (position->rank != options.rank || position->world_size != options.world_size) {
    return Refused(shards, "the cursor is of rank " + std::to_string(position->rank) + " of " +
                               std::to_string(position->world_size) + ", and this is rank " +
                               std::to_string(options.rank) + " of " + std::to_string(options.world_size));
  }
  if (options.sample_order() != SampleOrder::kByName && start.cursor.shuffle_buffer != options.shuffle_buffer) {
    return Refused(shards, "the shuffle buffer is " + std::to_string(start.cursor.shuffle_buffer) +
                               " in the cursor and " + std::to_string(options.shuffle_buffer) + " here");
  }
  if (position->samples > 0 && start.cursor.consumed > position->samples) {
    return Refused(shards, "the cursor says that " + std::to_string(start.cursor.consumed) + " samples of " +
                               std::to_string(position->samples) + " are consumed");
  }
  return {};
}

ShardPosition PositionOf(const EpochStart& start) {
  return start.cursor.consumed > 0 ? start.cursor.shards.value_or(ShardPosition()) : ShardPosition();
}

ShardOrder::ShardOrder(const EpochOptions& options, const EpochStart& start, ListingFingerprint shards, bool all_epochs,
                       std::shared_ptr<ScannedSamples> scanned)
    : options_(options),
      shards_(std::move(shards)),
      all_epochs_(all_epochs),
      scanned_(std::move(scanned)),
      buffer_(CapacityOf(options), options.seed, start.cursor.epoch) {
  Begin(start.cursor.epoch);
  if (start.cursor.consumed == 0) return;
  if (auto resumed = Resume(start.cursor.consumed, PositionOf(start)); !resumed) error_ = resumed.error();
}

void ShardOrder::Begin(std::uint64_t epoch) {
  epoch_ = claimed_from_ = epoch;
  buffer_ = ShuffleBuffer(CapacityOf(options_), options_.seed, epoch);
  held_.clear();
  begins_.clear();
  drawn_before_.clear();
  first_read_ = known_ = 0;
  is_known_ = false;
}

// The numbers of the samples are drawn again; what was drawn before the position is then left out as it is read.
Result<void> ShardOrder::Resume(std::uint64_t consumed, const ShardPosition& position) {
  const std::size_t all =
      position.samples > 0 ? static_cast<std::size_t>(position.samples) : std::numeric_limits<std::size_t>::max();
  while (buffer_.drawn() < consumed) buffer_.Draw(all);
  first_read_ = known_ = position.samples_before;
  std::size_t lowest = buffer_.next();
  for (const std::size_t number : buffer_.pending()) lowest = std::min(lowest, number);
  if (lowest < first_read_) return Refused(shards_, "the cursor's members contradict each other; it was edited");
  drawn_before_.assign(buffer_.next() - static_cast<std::size_t>(first_read_), true);
  for (const std::size_t number : buffer_.pending())
    drawn_before_[number - static_cast<std::size_t>(first_read_)] = false;
  return {};
}

void ShardOrder::Add(ScannedItem item) {
  if (!item.sample) {
    is_known_ = true;
    return;
  }
  if (begins_.empty() || begins_.back().shard != item.shard) begins_.push_back({item.shard, known_});
  const std::uint64_t number = known_++;
  const std::uint64_t place = number - first_read_;
  if (place < drawn_before_.size() && drawn_before_[static_cast<std::size_t>(place)]) return;
  held_.emplace(static_cast<std::size_t>(number), *std::move(item.sample));
}

// True if the next batch, and whether it is the last one, are known.
bool ShardOrder::Fill() {
  const std::uint64_t needed = buffer_.drawn() + CapacityOf(options_) + 2 * options_.batch_size;
  while (!is_known_ && known_ < needed) {
    auto item = scanned_->Take(epoch_, static_cast<std::size_t>(needed - known_));
    if (!item) {
      error_ = scanned_->error();
      return false;
    }
    Add(*std::move(item));
  }
  return true;
}

// Of the next batch, before it is padded.
std::uint64_t ShardOrder::BatchSize() const {
  if (!is_known_ || left() >= options_.batch_size) return options_.batch_size;
  return options_.tail == EpochTail::kDrop ? 0 : left();
}

void ShardOrder::DrawInto(PlannedBatch& batch, std::uint64_t size) {
  for (std::uint64_t i = 0; i < size; ++i) {
    auto drawn = held_.extract(buffer_.Draw(static_cast<std::size_t>(known_)));
    batch.samples.push_back(drawn.mapped().index);
    batch.held.push_back(std::move(drawn.mapped()));
  }
  if (options_.tail != EpochTail::kPad) return;
  for (std::size_t i = 0; batch.held.size() < options_.batch_size; ++i) {
    batch.samples.push_back(batch.samples[i]);
    batch.held.push_back(HeldSample(batch.held[i]));
  }
}

std::optional<PlannedBatch> ShardOrder::Next() {
  while (!is_over() && Fill()) {
    const std::uint64_t size = BatchSize();
    if (size == 0) {
      if (buffer_.drawn() == 0) {
        error_ = Refused(shards_, "the rank's shards have " + std::to_string(known_) +
                                      " samples, which fill no batch; lower EpochOptions::batch_size");
        return std::nullopt;
      }
      // Nothing is left of the cursor's epoch: the loop that begins there gets the next one.
      const std::uint64_t from = claimed_from_;
      EndEpoch();
      claimed_from_ = from;
      continue;
    }
    PlannedBatch batch{.seed = options_.seed, .epoch = epoch_, .claimed_from = claimed_from_};
    DrawInto(batch, size);
    const bool is_last = is_known_ && BatchSize() == 0;
    batch.cursor = CursorHere(is_last);
    if (is_last) EndEpoch();
    return batch;
  }
  return std::nullopt;
}

void ShardOrder::EndEpoch() {
  const bool has_next = all_epochs_ && (!options_.epochs || epoch_ + 1 < *options_.epochs);
  if (has_next) return Begin(epoch_ + 1);
  is_over_ = true;
}

Cursor ShardOrder::CursorHere(bool is_last) {
  const bool is_buffered = options_.sample_order() == SampleOrder::kBuffered;
  Cursor cursor{.seed = options_.seed,
                .epoch = epoch_ + (is_last ? 1 : 0),
                .consumed = is_last ? 0 : buffer_.drawn(),
                .order = options_.sample_order(),
                .shuffle_buffer = is_buffered ? options_.shuffle_buffer : 0,
                .listing = shards_};
  if (is_last) return cursor;
  cursor.shuffle_buffer = options_.shuffle_buffer;
  cursor.shards = PositionHere();
  return cursor;
}

ShardPosition ShardOrder::PositionHere() {
  std::size_t lowest = buffer_.next();
  for (const std::size_t number : buffer_.pending()) lowest = std::min(lowest, number);
  while (begins_.size() > 1 && begins_[1].first <= lowest) begins_.pop_front();
  return {.rank = options_.rank,
          .world_size = options_.world_size,
          .shard = begins_.front().shard,
          .samples_before = begins_.front().first,
          .samples = is_known_ ? known_ : 0};
}

}  // namespace gcsflux::internal
