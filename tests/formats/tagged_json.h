#pragma once

#include <nlohmann/json.hpp>

#include "formats/checkpoint_reader.h"

namespace gcsflux::formats_tests {

/// A checkpoint's value as JSON in which each value says its type: ["int", "5"]. Tensors carry their elements, as
/// hexadecimal. What Python makes of the same file must be the same text.
nlohmann::json TaggedJson(const StoredCheckpoint& file, const pickled::Value& value);

/// Bytes as hexadecimal text.
std::string Hex(std::span<const std::byte> bytes);

}  // namespace gcsflux::formats_tests
