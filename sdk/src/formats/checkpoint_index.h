#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "formats/arena.h"
#include "formats/pickle_reader.h"
#include "gcsflux/torch_file.h"

namespace gcsflux::internal {

/// The tensors of a pickle by name, and what is refused.
struct CheckpointIndex {
  std::vector<StoredTensor> tensors = {};
  std::vector<RefusedValue> refused = {};
};

/// Goes through all containers, without recursion. kUndecodable where shared values make more names than the allowance
/// has room for. A value that holds itself, or is nested deeper than 256 levels, is refused by name.
Result<CheckpointIndex> IndexTensors(const PickleReader& reader, MemoryAllowance& allowance);

/// The value of this name; nothing where there is none.
std::optional<NodeId> FindValue(const PickleReader& reader, std::string_view name);

}  // namespace gcsflux::internal
