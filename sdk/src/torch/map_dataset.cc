#include "gcsflux/torch/map_dataset.h"

#include <exception>
#include <string>
#include <utility>

#include "gcsflux/listing.h"
#include "torch/first_line.h"

namespace gcsflux {

struct MapDataset::Shared {
  Downloader downloader;
  std::vector<ObjectMetadata> objects;
  Transform transform;
};

namespace {

using Example = torch::data::Example<>;

std::string UriOf(const ObjectMetadata& object) { return ToUri({object.bucket, object.name}); }

std::vector<ObjectMetadata> ListOrThrow(const Client& client, const ObjectName& prefix, const CallOptions& call) {
  std::vector<ObjectMetadata> objects = ValueOrThrow(ListPrefix(client, prefix, {.call = call})).objects;
  std::erase_if(objects, [](const ObjectMetadata& object) { return object.name.ends_with('/'); });
  if (objects.empty()) {
    throw StorageError(
        {.code = ErrorCode::kEmptyPrefix,
         .message = "MapDataset of " + ToUri(prefix) +
                    ": no object is stored under this prefix; check its spelling, or store the data first"});
  }
  return objects;
}

Example Decode(const MapDataset::Transform& transform, const ObjectMetadata& object, std::span<const std::byte> bytes) {
  try {
    return transform(object, bytes);
  } catch (const StorageError&) {
    throw;
  } catch (const std::exception& failure) {
    std::throw_with_nested(StorageError({.code = ErrorCode::kUndecodable,
                                         .message = "Transform of " + UriOf(object) + ": " + FirstLine(failure) +
                                                    "; remove the object, or keep it out of the prefix"}));
  }
}

}  // namespace

MapDataset::MapDataset(Client client, const ObjectName& prefix, Transform transform, const MapDatasetOptions& options)
    : MapDataset(OfObjects(client, ListOrThrow(client, prefix, options.download.call), std::move(transform), options)) {
}

MapDataset MapDataset::OfObjects(Client client, std::vector<ObjectMetadata> objects, Transform transform,
                                 const MapDatasetOptions& options) {
  DownloaderOptions download = options.download;
  download.on_failure = OnFailure::kFailAll;  // A batch is whole, or get_batch() throws.
  return MapDataset(std::shared_ptr<const Shared>(
      new Shared{Downloader(std::move(client), download), std::move(objects), std::move(transform)}));
}

std::vector<Example> MapDataset::get_batch(torch::ArrayRef<std::size_t> indices) {
  std::vector<ObjectMetadata> wanted;
  wanted.reserve(indices.size());
  for (const std::size_t index : indices) {
    if (index >= objects().size()) {
      throw StorageError({.code = ErrorCode::kInvalidArgument,
                          .message = "MapDataset: index " + std::to_string(index) + " of a dataset of " +
                                     std::to_string(objects().size()) + " objects"});
    }
    wanted.push_back(objects()[index]);
  }

  const ObjectBatch batch = ValueOrThrow(shared_->downloader.Download(DownloadSources(wanted)));
  std::vector<Example> examples;
  examples.reserve(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) examples.push_back(Decode(shared_->transform, wanted[i], batch[i]));
  return examples;
}

torch::optional<std::size_t> MapDataset::size() const { return objects().size(); }

const std::vector<ObjectMetadata>& MapDataset::objects() const { return shared_->objects; }

}  // namespace gcsflux
