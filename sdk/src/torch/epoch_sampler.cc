#include "gcsflux/torch/epoch_sampler.h"

#include <string>
#include <utility>

#include "dataset/cursor_order.h"
#include "dataset/epoch_progress.h"
#include "gcsflux/torch/dataset_handle.h"

namespace gcsflux {
namespace {

[[noreturn]] void Refuse(const std::string& why) {
  throw StorageError({.code = ErrorCode::kInvalidArgument, .message = "EpochSampler: " + why});
}

// A cursor of an IterableDataset that had not listed all objects yet is compared with the first ones.
std::optional<Cursor> OfWholeListing(const std::optional<Cursor>& cursor, const EpochOptions& options,
                                     const internal::DatasetCore& dataset, bool allow_changed_listing) {
  if (!cursor || allow_changed_listing) return cursor;
  return ValueOrThrow(
      internal::OfWholeListing(*cursor, options, internal::FingerprintOf(dataset), internal::ObjectsOf(dataset)));
}

}  // namespace

EpochSampler::EpochSampler(internal::DatasetHandle dataset, const EpochOptions& options,
                           const std::optional<Cursor>& cursor, bool allow_changed_listing)
    : dataset_(std::move(dataset)),
      progress_(std::make_shared<const internal::EpochProgress>(ValueOrThrow(internal::EpochProgress::Create(
          internal::FingerprintOf(*dataset_), options,
          OfWholeListing(cursor, options, *dataset_, allow_changed_listing), allow_changed_listing)))) {}

void EpochSampler::BatchConsumed() { ValueOrThrow(progress_->BatchConsumed()); }

Cursor EpochSampler::cursor() const { return progress_->cursor(); }

void EpochSampler::reset(torch::optional<std::size_t> new_size) {
  const auto count = progress_->cursor().listing.count;
  if (new_size && *new_size != count) {
    Refuse("asked for " + std::to_string(*new_size) + " samples of a dataset of " + std::to_string(count));
  }
  ValueOrThrow(progress_->BeginEpoch());
  internal::AnnounceOrder(*dataset_, progress_->options(), progress_->cursor());
}

torch::optional<std::vector<std::size_t>> EpochSampler::next(std::size_t batch_size) {
  if (batch_size != progress_->options().batch_size) {
    Refuse("the loader's batches are of " + std::to_string(batch_size) + " samples, and EpochOptions::batch_size is " +
           std::to_string(progress_->options().batch_size));
  }
  auto samples = progress_->NextBatch();
  if (!samples) return torch::nullopt;
  return *std::move(samples);
}

void EpochSampler::save(torch::serialize::OutputArchive& archive) const { internal::SaveCursor(archive, cursor()); }

void EpochSampler::load(torch::serialize::InputArchive& archive) {
  const auto cursor = OfWholeListing(internal::LoadCursor(archive), progress_->options(), *dataset_, false);
  ValueOrThrow(progress_->MoveTo(*cursor));
}

}  // namespace gcsflux
