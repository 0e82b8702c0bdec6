#pragma once

#include <torch/data/datasets/base.h>
#include <torch/data/example.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "gcsflux/epoch.h"
#include "gcsflux/listing.h"
#include "gcsflux/torch/storage_error.h"

namespace gcsflux {

struct MapDatasetOptions {
  /// Its `call` is that of the listing too. A batch is whole or fails, whatever its `on_failure` says.
  DownloaderOptions download = {};
};

/// The objects under a gs:// prefix as a map-style torch dataset:
/// `torch::data::make_data_loader(dataset.map(torch::data::transforms::Stack<>()), options)`.
///
/// A batch's objects are fetched concurrently into one block and handed to the transform as views. Copies (the
/// DataLoader makes one per worker) share the client, the listing and the download threads. Thread-safe where the
/// transform is: workers call it at the same time.
class MapDataset : public torch::data::datasets::BatchDataset<MapDataset, std::vector<torch::data::Example<>>> {
 public:
  /// Makes an Example of an object's bytes, which are valid during the call only: its tensors own what they hold.
  /// It throws what it likes on bytes of another format; see get_batch().
  using Transform = std::function<torch::data::Example<>(const ListedObject& object, std::span<const std::byte> bytes)>;

  /// Lists the prefix (end it with "/" to mean a directory) by many calls at the same time, which fixes the names,
  /// generations and order (bytewise) of the dataset. Names that end with "/" are the empty objects that stand for
  /// directories, and left out. An object takes about 90 bytes beyond its name.
  /// Throws StorageError: kEmptyPrefix where nothing is there, and whatever listing may fail with.
  MapDataset(Client client, const ObjectName& prefix, Transform transform, const MapDatasetOptions& options = {});

  /// Of objects of one bucket that were listed before: a part of a prefix, an order of one's own. None is a dataset of
  /// size 0.
  static MapDataset OfObjects(Client client, std::string bucket, std::vector<ListedObject> objects, Transform transform,
                              const MapDatasetOptions& options = {});

  /// The examples of `indices`, in their order; never fewer than asked.
  ///
  /// Throws StorageError with the object's name: kNotFound where an object was deleted or overwritten since it was
  /// listed, kInvalidArgument for an index past the end. A transform's StorageError goes on as it is; what else it
  /// throws arrives as kUndecodable with the object's name before its text, and nested (std::rethrow_if_nested).
  std::vector<torch::data::Example<>> get_batch(torch::ArrayRef<std::size_t> indices) override;

  [[nodiscard]] torch::optional<std::size_t> size() const override;

  /// What index i is: `objects()[i]`.
  [[nodiscard]] const std::vector<ListedObject>& objects() const;

  /// Tells this listing from others, for a Cursor. Of OfObjects() the prefix is empty.
  [[nodiscard]] const ListingFingerprint& fingerprint() const;

 private:
  struct Shared;
  static MapDataset Make(Client client, const ObjectName& prefix, std::vector<ListedObject> objects,
                         Transform transform, const MapDatasetOptions& options);
  explicit MapDataset(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}
  std::shared_ptr<const Shared> shared_;
};

}  // namespace gcsflux
