#pragma once

#include <torch/data/datasets/base.h>
#include <torch/data/example.h>

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "gcsflux/torch/storage_error.h"

namespace gcsflux {

struct MapDatasetOptions {
  DownloaderOptions download = {};
};

/// The objects under a gs:// prefix as a map-style torch dataset: `torch::data::make_data_loader(dataset, ...)`.
///
/// A batch's objects are fetched concurrently into one block and handed to the transform as views. Copies (the
/// DataLoader makes one per worker) share the client, the listing and the download threads. Thread-safe where the
/// transform is: workers call it at the same time.
class MapDataset : public torch::data::datasets::BatchDataset<MapDataset, std::vector<torch::data::Example<>>> {
 public:
  /// Makes an Example of an object's bytes, which are valid during the call only. May throw; a StorageError of
  /// kUndecodable that names the object is the fitting thing for bytes of another format.
  using Transform =
      std::function<torch::data::Example<>(const ObjectMetadata& object, std::span<const std::byte> bytes)>;

  /// Lists the prefix, which fixes the names, generations and order (bytewise) of the dataset.
  /// Throws StorageError: kEmptyPrefix where nothing is there, and whatever listing may fail with.
  MapDataset(Client client, const ObjectName& prefix, Transform transform, const MapDatasetOptions& options = {});

  /// Of objects that were listed before; an empty list is a dataset of size 0.
  MapDataset(Client client, std::vector<ObjectMetadata> objects, Transform transform,
             const MapDatasetOptions& options = {});

  /// The examples of `indices`, in their order. Throws StorageError with the object's name; never fewer than asked.
  std::vector<torch::data::Example<>> get_batch(torch::ArrayRef<std::size_t> indices) override;

  [[nodiscard]] torch::optional<std::size_t> size() const override;

  [[nodiscard]] const std::vector<ObjectMetadata>& objects() const;

 private:
  struct Shared;
  std::shared_ptr<const Shared> shared_;
};

}  // namespace gcsflux
