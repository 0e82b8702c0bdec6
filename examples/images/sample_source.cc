#include "images/sample_source.h"

#include <torch/types.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "gcsflux/flags.h"
#include "gcsflux/torch/data_loader.h"
#include "gcsflux/torch/iterable_dataset.h"
#include "gcsflux/torch/map_dataset.h"
#include "gcsflux/torch/shard_dataset.h"
#include "images/job_flags.h"
#include "images/stored_images.h"

namespace examples {
namespace {

using gcsflux::Cursor;
using gcsflux::EpochOptions;
using gcsflux::IterableDataset;
using gcsflux::MapDataset;
using gcsflux::SampleContext;
using gcsflux::ValueOrThrow;

class MapSource : public SampleSource {
 public:
  MapSource(const MapDataset& images, const EpochOptions& epochs, const std::optional<Cursor>& cursor)
      : loader_(gcsflux::MakeDataLoader(images, epochs, {.cursor = cursor})) {}

  std::optional<Sample> Next() override {
    if (batch_) {
      ++*batch_;
    } else {
      batch_ = loader_.begin();
    }
    if (*batch_ != loader_.end()) return **batch_;
    batch_.reset();
    return std::nullopt;
  }
  [[nodiscard]] Cursor cursor() const override { return loader_.cursor(); }

 private:
  gcsflux::DataLoader<> loader_;
  std::optional<gcsflux::DataLoader<>::Iterator> batch_;
};

class StreamSource : public SampleSource {
 public:
  StreamSource(IterableDataset images, std::optional<Cursor> cursor)
      : images_(std::move(images)), begin_(std::move(cursor)) {}

  std::optional<Sample> Next() override {
    if (batch_) {
      ++*batch_;
    } else {
      batch_ = images_.Epoch(std::exchange(begin_, std::nullopt)).begin();
    }
    if (*batch_ != Batches::Iterator()) return Collate((*batch_)->samples);
    batch_.reset();
    return std::nullopt;
  }
  [[nodiscard]] Cursor cursor() const override { return begin_ ? *begin_ : images_.cursor(); }

 private:
  using Batches = gcsflux::EpochBatches<Sample>;

  static Sample Collate(const std::vector<Sample>& samples) {
    return torch::data::transforms::Stack<Sample>().apply_batch(samples);
  }

  IterableDataset images_;
  std::optional<Cursor> begin_;
  std::optional<Batches::Iterator> batch_;
};

// Objects are named <folder><path>.
auto OfObjects(const gcsflux::ObjectName& folder, const DecodeSample& decode) {
  return [folder, decode](const gcsflux::ListedObject& object, std::span<const std::byte> bytes,
                          const SampleContext& context) {
    const ImageFile file{gcsflux::ToUri({folder.bucket, object.name}), object.name.substr(folder.name.size()), bytes};
    return decode(file, context);
  };
}

// A sample's key is the path without its extension, as `gcsflux shards pack` makes it.
auto OfShards(const std::string& bucket, const DecodeSample& decode) {
  return [bucket, decode](const gcsflux::ShardSample& sample, const SampleContext& context) {
    const std::string name = gcsflux::ToUri({bucket, sample.shard()}) + "/" + sample.key();
    for (const gcsflux::ShardMember& member : sample.members()) {
      const std::string extension = "." + member.extension;
      if (!IsImageName(extension)) continue;
      return decode({name + extension, sample.key() + extension, member.bytes}, context);
    }
    throw gcsflux::StorageError({gcsflux::ErrorCode::kUndecodable, name + ": no member is a PNG or JPEG file"});
  };
}

EpochOptions EpochsOfFlags() {
  EpochOptions epochs = ValueOrThrow(gcsflux::EpochOptionsFromFlags());
  epochs.epochs = static_cast<std::uint64_t>(FLAGS_epochs);
  return epochs;
}

}  // namespace

std::unique_ptr<SampleSource> OpenTraining(const Job& job, const DecodeSample& decode,
                                           const std::optional<Cursor>& cursor) {
  const EpochOptions epochs = EpochsOfFlags();
  if (!FLAGS_local_dir.empty()) return OpenLocalFiles(FLAGS_local_dir + "/train", decode, epochs, cursor);
  const auto options = ValueOrThrow(gcsflux::DatasetOptionsFromFlags());
  const bool is_map = FLAGS_style == "map";
  if (!FLAGS_shards.empty()) {
    const auto shards = ValueOrThrow(gcsflux::ParseUri(FLAGS_shards));
    const auto transform = OfShards(shards.bucket, decode);
    if (is_map) {
      return std::make_unique<MapSource>(MapDataset::OfShards(job.client, shards, transform, options), epochs, cursor);
    }
    const gcsflux::ShardDataset images(job.client, shards, transform, epochs, options);
    return std::make_unique<StreamSource>(images, cursor);
  }
  const auto transform = OfObjects(job.At("train/"), decode);
  if (is_map) {
    return std::make_unique<MapSource>(MapDataset(job.client, job.At("train/"), transform, options), epochs, cursor);
  }
  return std::make_unique<StreamSource>(IterableDataset(job.client, job.At("train/"), transform, epochs, options),
                                        cursor);
}

std::unique_ptr<SampleSource> OpenTest(const Job& job, const DecodeSample& decode) {
  EpochOptions epochs = EpochsOfFlags();
  epochs.order = gcsflux::SampleOrder::kByName;
  epochs.tail = gcsflux::EpochTail::kUneven;
  epochs.epochs = 1;
  if (!FLAGS_local_dir.empty()) return OpenLocalFiles(FLAGS_local_dir + "/test", decode, epochs, std::nullopt);
  const MapDataset images(job.client, job.At("test/"), OfObjects(job.At("test/"), decode),
                          ValueOrThrow(gcsflux::DatasetOptionsFromFlags()));
  return std::make_unique<MapSource>(images, epochs, std::nullopt);
}

std::string SourceName() {
  if (!FLAGS_local_dir.empty()) return "local files";
  return FLAGS_shards.empty() ? "single objects" : "shards";
}

}  // namespace examples
