#include "gcsflux/torch/map_dataset.h"

#include <exception>
#include <string>
#include <utility>

#include "dataset/fingerprint.h"
#include "torch/first_line.h"

namespace gcsflux {

struct MapDataset::Shared {
  Downloader downloader;
  std::string bucket;
  std::vector<ListedObject> objects;
  ListingFingerprint fingerprint;
  Transform transform;
};

namespace {

using Example = torch::data::Example<>;

std::vector<ListedObject> ListOrThrow(const Client& client, const ObjectName& prefix, const CallOptions& call) {
  std::vector<ListedObject> objects =
      ValueOrThrow(ListInParallel(client, prefix, {.include_directory_markers = false, .call = call})).objects;
  if (objects.empty()) {
    throw StorageError(
        {.code = ErrorCode::kEmptyPrefix,
         .message = "MapDataset of " + ToUri(prefix) +
                    ": no object is stored under this prefix; check its spelling, or store the data first"});
  }
  return objects;
}

Example Decode(const MapDataset::Transform& transform, const std::string& bucket, const ListedObject& object,
               std::span<const std::byte> bytes) {
  try {
    return transform(object, bytes);
  } catch (const StorageError&) {
    throw;
  } catch (const std::exception& failure) {
    std::throw_with_nested(
        StorageError({.code = ErrorCode::kUndecodable,
                      .message = "Transform of " + ToUri({bucket, object.name}) + ": " + FirstLine(failure) +
                                 "; remove the object, or keep it out of the prefix"}));
  }
}

}  // namespace

MapDataset::MapDataset(Client client, const ObjectName& prefix, Transform transform, const MapDatasetOptions& options)
    : MapDataset(
          Make(client, prefix, ListOrThrow(client, prefix, options.download.call), std::move(transform), options)) {}

MapDataset MapDataset::OfObjects(Client client, std::string bucket, std::vector<ListedObject> objects,
                                 Transform transform, const MapDatasetOptions& options) {
  return Make(std::move(client), {std::move(bucket), ""}, std::move(objects), std::move(transform), options);
}

MapDataset MapDataset::Make(Client client, const ObjectName& prefix, std::vector<ListedObject> objects,
                            Transform transform, const MapDatasetOptions& options) {
  DownloaderOptions download = options.download;
  download.on_failure = OnFailure::kFailAll;  // A batch is whole, or get_batch() throws.
  auto fingerprint = internal::FingerprintOf(prefix, objects);
  return MapDataset(
      std::shared_ptr<const Shared>(new Shared{Downloader(std::move(client), download), prefix.bucket,
                                               std::move(objects), std::move(fingerprint), std::move(transform)}));
}

std::vector<Example> MapDataset::get_batch(torch::ArrayRef<std::size_t> indices) {
  std::vector<DownloadSource> sources;
  sources.reserve(indices.size());
  for (const std::size_t index : indices) {
    if (index >= objects().size()) {
      throw StorageError({.code = ErrorCode::kInvalidArgument,
                          .message = "MapDataset: index " + std::to_string(index) + " of a dataset of " +
                                     std::to_string(objects().size()) + " objects"});
    }
    const ListedObject& object = objects()[index];
    sources.push_back({.object = {shared_->bucket, object.name},
                       .size = object.size,
                       .generation = object.generation,
                       .crc32c = object.crc32c});
  }

  const ObjectBatch batch = ValueOrThrow(shared_->downloader.Download(sources));
  std::vector<Example> examples;
  examples.reserve(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    examples.push_back(Decode(shared_->transform, shared_->bucket, objects()[indices[i]], batch[i]));
  }
  return examples;
}

torch::optional<std::size_t> MapDataset::size() const { return objects().size(); }

const std::vector<ListedObject>& MapDataset::objects() const { return shared_->objects; }

const ListingFingerprint& MapDataset::fingerprint() const { return shared_->fingerprint; }

}  // namespace gcsflux
