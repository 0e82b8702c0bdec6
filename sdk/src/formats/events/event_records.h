#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "gcsflux/result.h"

// The framing of event files, TFRecord: each record is its length (8 bytes), the masked CRC32C of the length, the
// payload and the payload's masked CRC32C, all little-endian: https://www.tensorflow.org/tutorials/load_data/tfrecord
namespace gcsflux::internal {

/// Adds a record.
void AppendRecord(std::string& file, std::string_view payload);

/// Calls `on_payload` for each whole record, and returns the number of bytes that they take. A record that is cut off
/// at the end is not an error, because files grow. Returns kUndecodable, with `name` and the offset, if a checksum is
/// wrong.
Result<std::size_t> ReadRecords(std::string_view file, const std::string& name,
                                const std::function<void(std::string_view payload)>& on_payload);

}  // namespace gcsflux::internal
