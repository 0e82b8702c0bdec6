#pragma once

#include <nlohmann/json.hpp>

#include "formats/checkpoint_reader.h"

namespace gcsflux::formats_tests {

/// A checkpoint's value as JSON in which each value names its type: ["int", "5"]. Tensors have their elements as
/// hexadecimal. Python must produce the same text for the same file.
nlohmann::json TaggedJson(const StoredCheckpoint& file, const pickled::Value& value);

/// Bytes as hexadecimal text.
std::string Hex(std::span<const std::byte> bytes);

}  // namespace gcsflux::formats_tests
