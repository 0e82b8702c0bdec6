#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "gcsflux/checkpoints/pickled_value.h"
#include "gcsflux/epoch.h"

namespace gcsflux {

// The names of these values in the file of a step.
inline constexpr const char* kNumbersKey = "numbers";
inline constexpr const char* kTextsKey = "texts";
inline constexpr const char* kCursorKey = "cursor";

/// What CheckpointRun saves beside tensors.
struct PlainValues {
  std::map<std::string, std::int64_t> numbers = {};
  std::map<std::string, std::string> texts = {};
  std::optional<Cursor> cursor = {};
};

/// Returns the values of a step's file. Throws StorageError if the cursor cannot be read.
PlainValues PlainValuesIn(const pickled::Dict& root);

}  // namespace gcsflux
