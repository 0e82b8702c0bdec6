#pragma once

#include <optional>
#include <string>

#include "gcsflux/checkpoints/checkpoint.h"

// The lines that `checkpoint` prints, as text or as JSON objects, without line ends. Names are those of the file.
namespace gcsflux::cli {

/// The checkpoint itself.
std::string CheckpointLine(const StoredCheckpoint& checkpoint, bool is_json);
std::string TensorLine(const StoredTensor& tensor, std::optional<std::uint32_t> crc32c, bool is_json);
std::string RefusedLine(const RefusedValue& value, bool is_json);
/// The number of tensors, of their elements and of their bytes.
std::string TotalLine(const StoredCheckpoint& checkpoint, bool is_json);

std::string VerifiedLine(const VerifiedStorage& verified, bool is_json);
/// `has_whole`: the store has a checksum of all bytes, and they match it.
std::string VerifyTotalLine(const StoredCheckpoint& checkpoint, const VerifyReport& report, bool has_whole,
                            bool is_json);

std::string DifferenceLine(const TensorDifference& difference, bool is_json);
std::string CompareTotalLine(const CompareReport& report, bool is_json);

}  // namespace gcsflux::cli
