#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/safetensors/safetensors.h"

namespace gcsflux::internal {

/// The header's text as tensors and metadata. Every field must be there and have its type. Ranges are as in the text,
/// from the end of the header on. The `offset` of an error is in the text. Checks that need the file are not made.
struct ParsedHeader {
  std::vector<SafeTensor> tensors = {};
  std::vector<std::pair<std::string, std::string>> metadata = {};
};
Result<ParsedHeader> ParseHeaderJson(std::string_view text, const std::string& file, std::uint64_t offset);

/// PyTorch DCP's {"name": {"saved_offsets": [0, 4]}}.
Result<std::vector<std::pair<std::string, std::vector<std::int64_t>>>> ParseSlicesJson(std::string_view text,
                                                                                       const std::string& file);

/// The index's text. Names may occur twice.
Result<SafetensorsIndex> ParseIndexJson(std::string_view text, const std::string& file);

}  // namespace gcsflux::internal
