#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/formats.h"

// What makes files a step of a training run: the manifest, which is written last. docs/checkpoints.md.
namespace gcsflux {

/// Steps are numbered from 0 to this one: their names then sort as their numbers do.
inline constexpr std::int64_t kMaxStep = 99'999'999;

/// A longer manifest is neither written nor read. It is enough for 8,000,000 slices.
inline constexpr std::size_t kMaxManifestBytes = std::size_t{96} << 20;

/// One file of a step: one generation of one object.
struct StepFile {
  std::string name = {};  ///< Below the run's prefix: "step-00000042/9f1c...-state.pt".
  std::uint64_t size = 0;
  std::int64_t generation = 0;
  std::uint32_t crc32c = 0;

  friend bool operator==(const StepFile&, const StepFile&) = default;
};

/// Where a tensor is.
struct StepTensor {
  std::string name = {};
  std::size_t file = 0;  ///< Index among the manifest's files.
  FileRange range = {};  ///< The bytes that the tensor touches in the file.
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> strides = {};  ///< In elements. Empty: the elements follow each other.
  /// Of a slice: where it begins in the whole tensor. Empty: this is the whole.
  std::vector<std::int64_t> offsets = {};
  /// Of a slice: the shape of the whole tensor. If it is given, the slices of this name hold each of the tensor's
  /// elements once.
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

/// As JSON. More than 30,000 tensors are a table of bytes there, of some 7 bytes for a slice (version 2 of the format);
/// fewer are a list, which older versions of gcsflux read too. kInvalidArgument: what ParseManifest() refuses, and
/// texts that are not UTF-8. The message names the step and what is wrong with it.
Result<std::string> FormatManifest(const CheckpointManifest& manifest);

/// Reads what FormatManifest() wrote. `place` is for messages: the object's URI.
///
/// kUndecodable: no JSON, a newer version of the format, a field that is missing or of another type, a step below 0 or
/// above kMaxStep, a file outside the run's prefix or twice there, a tensor outside its file, slices that overlap or
/// leave a hole, a metric that is no number, more than kMaxManifestBytes.
Result<CheckpointManifest> ParseManifest(std::string_view json, const std::string& place);

}  // namespace gcsflux
