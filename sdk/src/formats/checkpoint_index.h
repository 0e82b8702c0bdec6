#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "formats/pickle/arena.h"
#include "formats/pickle/pickle_reader.h"
#include "gcsflux/formats.h"

namespace gcsflux::internal {

/// The tensors of a pickle by name, and the refused values.
struct CheckpointIndex {
  std::vector<StoredTensor> tensors = {};
  std::vector<RefusedValue> refused = {};
};

/// Visits all containers, without recursion. If shared values make more names than the allowance permits, returns
/// kUndecodable. A value that contains itself, or has more than 256 levels, is refused by name.
Result<CheckpointIndex> IndexTensors(const PickleReader& reader, MemoryAllowance& allowance);

/// The value of this name. Nothing if there is none.
std::optional<NodeId> FindValue(const PickleReader& reader, std::string_view name);

}  // namespace gcsflux::internal
