#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "formats/pickle/pickled_value.h"

namespace gcsflux::internal {

/// The value as a pickle of protocol 2. It uses only what PyTorch's restricted unpickler accepts: BINUNICODE, BININT*,
/// LONG1, BINFLOAT, EMPTY_*, TUPLE*, SETITEMS, APPENDS, BINPERSID, REDUCE, BUILD, the memo, and the globals of
/// torch.save.
///
/// `storage_bytes` are the lengths of the storages that its tensors name by index. Returns kInvalidArgument if a value
/// has no such form.
Result<std::string> WritePickle(const pickled::Value& root, std::span<const std::uint64_t> storage_bytes);

}  // namespace gcsflux::internal
