#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataset/dataset_core.h"

namespace gcsflux::testing {

/// Names and contents of a batch's objects.
using TextBatch = std::vector<std::pair<std::string, std::string>>;

/// Samples of datasets without libtorch: each is the name and the content of its object.
inline internal::SampleWork TextSamples() {
  return {.make = [](std::size_t samples) { return std::make_shared<TextBatch>(samples); },
          .decode = [](void* batch, std::size_t place, const ListedObject& object, DownloadedObject& downloaded,
                       const SampleContext& /*context*/) -> internal::DecodedSample {
            const auto* const bytes = reinterpret_cast<const char*>(downloaded.bytes.data());
            auto& sample = (*static_cast<TextBatch*>(batch))[place];
            sample = {std::string(object.name), std::string(bytes, downloaded.bytes.size())};
            return {.bytes = sample.second.size()};
          }};
}

inline TextBatch TextsOf(const internal::FinishedBatch& batch) {
  return batch.samples ? *static_cast<const TextBatch*>(batch.samples.get()) : TextBatch();
}

/// Where the first epoch of a dataset of the prefix begins.
inline Cursor BeginningOf(const internal::DatasetCore& core, const EpochOptions& how, const ObjectName& prefix) {
  Cursor cursor{.seed = how.seed,
                .order = how.sample_order(),
                .shuffle_buffer = how.sample_order() == SampleOrder::kBuffered ? how.shuffle_buffer : 0,
                .listing = {.bucket = prefix.bucket, .prefix = prefix.name, .is_partial = true}};
  if (!core.objects().empty()) cursor.listing = core.fingerprint();
  return cursor;
}

}  // namespace gcsflux::testing
