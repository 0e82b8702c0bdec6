#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/bytes/tensor_layout.h"
#include "gcsflux/checkpoints/step.h"

namespace gcsflux {

/// The most bytes of a manifest: a longer one is neither written nor read. They are enough for 8,000,000 slices.
inline constexpr std::size_t kMaxManifestBytes = std::size_t{96} << 20;

/// Where a tensor is.
struct StepTensor {
  std::string name = {};
  std::size_t file = 0;  ///< Index among the manifest's files.
  FileRange range = {};  ///< The bytes that the tensor touches in the file.
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> strides = {};  ///< In elements. Empty if the elements are contiguous.
  /// For a slice: where it begins in the whole tensor. Empty for a whole tensor.
  std::vector<std::int64_t> offsets = {};
  /// For a slice: the shape of the whole tensor. If it is set, the slices of this name hold each element of the tensor
  /// once.
  std::vector<std::int64_t> whole_shape = {};
  std::optional<std::uint32_t> crc32c = {};  ///< Of the bytes of `range`.

  friend bool operator==(const StepTensor&, const StepTensor&) = default;
};

struct CheckpointManifest {
  std::string run = {};  ///< RunIdentity::id of the run that saved the step.
  std::int64_t step = 0;
  std::chrono::system_clock::time_point time = {};  ///< By the clock of the machine that saved it; milliseconds.
  std::string writer = {};                          ///< The program that wrote the files: "gcsflux 0.1.0".
  std::vector<StepFile> files = {};
  std::vector<StepTensor> tensors = {};
  std::map<std::string, double> metrics = {};        ///< Finite numbers.
  std::map<std::string, std::string> metadata = {};  ///< The caller's own.

  friend bool operator==(const CheckpointManifest&, const CheckpointManifest&) = default;
};

/// Returns the manifest as JSON. If it has more than 30,000 tensors, they are stored as a binary table (version 2 of
/// the format), about 7 bytes per slice. Otherwise they are a list, which older versions of gcsflux read too. Returns
/// kInvalidArgument for what ParseManifest() refuses, and for texts that are not UTF-8. The message names the step and
/// the cause.
Result<std::string> FormatManifest(const CheckpointManifest& manifest);

/// Reads what FormatManifest() wrote. `place` is for messages: the object's URI.
///
/// Returns kUndecodable if:
/// - the text is not JSON, or longer than kMaxManifestBytes,
/// - the version of the format is newer,
/// - a field is missing or has another type,
/// - the step is below 0 or above kMaxStep,
/// - there is no file, a file is not in a step's folder, or a file is named twice,
/// - a tensor is outside its file,
/// - slices overlap or leave a hole, or
/// - a metric is not a number.
Result<CheckpointManifest> ParseManifest(std::string_view json, const std::string& place);

/// A step as it is stored.
struct StoredStep {
  CheckpointManifest manifest = {};
  std::int64_t generation = 0;  ///< Of the manifest's object.
};

/// What the public API shows of it.
Step StepOf(const StoredStep& stored);

}  // namespace gcsflux
