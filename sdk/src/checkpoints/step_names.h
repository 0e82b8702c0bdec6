#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The names of a run's objects, below its prefix.
namespace gcsflux::internal {

/// Whether the text is meant to name an object; the name may be invalid.
inline bool IsObjectUri(std::string_view text) { return text.starts_with("gs://") || text.starts_with("gcs://"); }

/// The object that says who writes the run's steps.
inline constexpr std::string_view kWriterObject = "writer";

/// The object that says which step was committed last: latest_hint.h.
inline constexpr std::string_view kHintObject = "latest";

/// "step-00000042/"
std::string StepFolder(std::int64_t step);

/// "step-00000042.json"
std::string ManifestName(std::int64_t step);

/// The step in a manifest's name, or in the folder of a file's name. Nothing for other names.
std::optional<std::int64_t> StepOfManifest(std::string_view name);
std::optional<std::int64_t> StepOfFile(std::string_view name);

/// The step in whose folder an object lies, at any depth. Nothing for other names.
std::optional<std::int64_t> StepOfFolder(std::string_view name);

/// A step of a training run.
struct StepPlace {
  std::string run = {};  ///< "gs://bucket/runs/7/"
  std::int64_t step = 0;
};

/// The step whose manifest has this URI: "gs://bucket/runs/7/step-00000042.json". Returns nothing for other texts.
std::optional<StepPlace> StepPlaceOf(std::string_view uri);

/// "step-00000042/", 32 random hexadecimal digits, "-" and `name`.
std::string NewFileName(std::int64_t step, std::string_view name);

/// Whether NewFileName() makes such names. Other objects in the folder of a step are not of this library.
bool IsOwnFileName(std::string_view name);

}  // namespace gcsflux::internal
