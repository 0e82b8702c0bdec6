#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"

// What the URI or the path of a checkpoint names. All functions are thread-safe.
namespace gcsflux {

/// A step of a training run.
struct StepPlace {
  std::string run = {};  ///< "gs://bucket/runs/7/"
  std::int64_t step = 0;
};

/// The step whose manifest has this URI: "gs://bucket/runs/7/step-00000042.json". Returns nothing for other texts.
std::optional<StepPlace> StepPlaceOf(std::string_view uri);

/// Lists the safetensors files directly in a folder, sorted by name. If `folder` is "gs://bucket/folder/", returns URIs
/// of objects, otherwise paths of local files.
Result<std::vector<std::string>> ListShards(const Client& client, const std::string& folder,
                                            const std::stop_token& stop = {});

}  // namespace gcsflux
