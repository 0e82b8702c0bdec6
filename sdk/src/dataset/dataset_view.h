#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dataset/dataset_core.h"

namespace gcsflux::internal {

using SharedSettings = std::shared_ptr<const DatasetCore::Settings>;

/// Samples of other datasets. Those of a view are the samples that it shows: no view shows another one.
struct DatasetView {
  struct Place {
    std::uint32_t part = 0;
    std::size_t index = 0;
  };
  std::vector<SharedSettings> parts = {};
  std::vector<Place> places = {};  ///< For each sample of the view.
};

/// The samples of several datasets, one dataset after the other: each is fetched and decoded as in its own dataset.
/// Their samples have the same type. Returns kInvalidArgument if there is no dataset, or one is given twice.
Result<DatasetCore::Settings> JoinedSettings(const std::vector<SharedSettings>& parts);

/// The samples of a dataset at these indices, in this order. Returns kInvalidArgument if one is past the end.
Result<DatasetCore::Settings> SelectedSettings(const SharedSettings& of, std::span<const std::size_t> indices);

}  // namespace gcsflux::internal
