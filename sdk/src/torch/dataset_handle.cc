#include "gcsflux/torch/dataset_handle.h"

#include <exception>

#include "client/client_core.h"
#include "dataset/dataset_core.h"
#include "dataset/dataset_view.h"
#include "torch/failure.h"
#include "torch/make_core.h"

namespace gcsflux::internal {
namespace {

StorageError NotMade(const std::string& bucket, const ListedObject& object, const std::string& why) {
  return StorageError({.code = ErrorCode::kUndecodable,
                       .message = "Transform of " + ToUri({bucket, object.name}) + ": " + why +
                                  "; remove the object, keep it out of the prefix, or leave some such objects out "
                                  "(DatasetOptions::max_skipped, --max_skipped)"});
}

// Call it while an exception is handled.
std::exception_ptr FailureOf(const std::string& bucket, const ListedObject& object) {
  try {
    try {
      throw;
    } catch (const StorageError&) {
      throw;
    } catch (const std::exception& failure) {
      std::throw_with_nested(NotMade(bucket, object, FirstLine(failure)));
    } catch (...) {
      std::throw_with_nested(NotMade(bucket, object, "it threw something that is no std::exception"));
    }
  } catch (...) {
    return std::current_exception();
  }
}

SampleWork WorkOf(SampleMaker maker, std::string bucket) {
  return {.make = std::move(maker.make),
          .decode = [decode = std::move(maker.decode), bucket = std::move(bucket)](
                        void* batch, std::size_t place, const ListedObject& object, DownloadedObject& downloaded,
                        const SampleContext& context) -> DecodedSample {
            try {
              return {.bytes = decode(batch, place, object, downloaded, context)};
            } catch (...) {
              return {.exception = FailureOf(bucket, object)};
            }
          },
          .is_instant = maker.is_instant};
}

}  // namespace

std::vector<ListedObject> ListOrThrow(const Client& client, const ObjectName& prefix, const DatasetOptions& options) {
  ParallelListOptions listing = options.listing;
  listing.include_directory_markers = false;
  std::vector<ListedObject> objects = ValueOrThrow(ListInParallel(client, prefix, listing)).objects;
  if (objects.empty()) {
    throw StorageError({.code = ErrorCode::kEmptyPrefix,
                        .message = "dataset of " + ToUri(prefix) +
                                   ": no object is stored under this prefix; check "
                                   "its spelling, or store the data first"});
  }
  return objects;
}

FinishedBatch MadeOrThrow(FinishedBatch batch, const ObjectName& prefix) {
  if (batch.exception) std::rethrow_exception(batch.exception);
  if (batch.error) throw StorageError(*std::move(batch.error));
  if (batch.size > 0 && batch.skipped.size() == batch.size) {
    throw StorageError({ErrorCode::kUndecodable, "dataset of " + ToUri(prefix) + ": all " + std::to_string(batch.size) +
                                                     " objects of a batch had to be skipped; the report names them"});
  }
  return batch;
}

DatasetHandle MakeCore(const Client& client, const ObjectName& prefix, std::vector<ListedObject> objects,
                       SampleMaker maker, const DatasetOptions& options) {
  return MakeCore(client, DatasetCore::Settings{.prefix = prefix, .objects = std::move(objects)}, std::move(maker),
                  options);
}

DatasetHandle MakeCore(const Client& client, DatasetCore::Settings settings, SampleMaker maker,
                       const DatasetOptions& options) {
  settings.work = WorkOf(std::move(maker), settings.prefix.bucket);
  return std::make_shared<const DatasetCore>(client, std::move(settings), options);
}

DatasetHandle MakeLiveCore(const Client& client, const ObjectName& prefix, SampleMaker maker,
                           const DatasetOptions& options) {
  return MakeCore(client, DatasetCore::Settings{.prefix = prefix, .is_live = true}, std::move(maker), options);
}

DatasetHandle OpenDataset(const Client& client, const ObjectName& prefix, SampleMaker maker,
                          const DatasetOptions& options) {
  return MakeCore(client, prefix, ListOrThrow(client, prefix, options), std::move(maker), options);
}

DatasetHandle OpenDataset(const Client& client, Listing listing, SampleMaker maker, const DatasetOptions& options) {
  return MakeCore(client, listing.prefix, std::move(listing.objects), std::move(maker), options);
}

DatasetHandle JoinDatasets(const std::vector<DatasetHandle>& datasets) {
  std::vector<SharedSettings> parts;
  for (const DatasetHandle& dataset : datasets) {
    if (&CoreOf(dataset->client()) != &CoreOf(datasets.front()->client())) {
      throw StorageError(
          {ErrorCode::kInvalidArgument, "joined datasets: they have different clients; make them with copies of one"});
    }
    parts.push_back(dataset->settings());
  }
  auto settings = ValueOrThrow(JoinedSettings(parts));
  const DatasetCore& first = *datasets.front();
  return std::make_shared<const DatasetCore>(first.client(), std::move(settings), first.options());
}

DatasetHandle SelectSamples(const DatasetCore& dataset, std::span<const std::size_t> indices) {
  return std::make_shared<const DatasetCore>(
      dataset.client(), ValueOrThrow(SelectedSettings(dataset.settings(), indices)), dataset.options());
}

DatasetHandle SelectSamples(const DatasetCore& dataset, const Selection& selection) {
  return SelectSamples(dataset, ValueOrThrow(SelectObjects(dataset.objects(), selection)));
}

std::vector<std::size_t> PartsOf(const DatasetCore& dataset) {
  const auto& parts = dataset.settings()->parts;
  return parts.empty() ? std::vector<std::size_t>{dataset.objects().size()} : parts;
}

const std::vector<ListedObject>& ObjectsOf(const DatasetCore& dataset) { return dataset.objects(); }
const ListingFingerprint& FingerprintOf(const DatasetCore& dataset) { return dataset.fingerprint(); }
DatasetReport ReportOf(const DatasetCore& dataset, const OperationPrices& prices) { return dataset.report(prices); }

std::shared_ptr<void> FetchBatch(const DatasetCore& dataset, std::span<const std::size_t> samples) {
  const std::size_t count = dataset.objects().size();
  for (const std::size_t index : samples) {
    if (index < count) continue;
    throw StorageError({.code = ErrorCode::kInvalidArgument,
                        .message = "MapDataset: index " + std::to_string(index) + " of a dataset of " +
                                   std::to_string(count) + " objects"});
  }
  const ListingFingerprint& listing = dataset.fingerprint();
  return MadeOrThrow(dataset.Fetch(samples), {listing.bucket, listing.prefix}).samples;
}

void AnnounceOrder(const DatasetCore& dataset, const EpochOptions& order, const Cursor& start) {
  ValueOrThrow(dataset.Expect(order, {.cursor = start}));
}

}  // namespace gcsflux::internal
