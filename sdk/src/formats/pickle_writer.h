#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gcsflux/pickled_value.h"

namespace gcsflux::internal {

/// The value as a pickle of protocol 2 with what PyTorch's restricted unpickler knows, and nothing else: BINUNICODE,
/// BININT*, LONG1, BINFLOAT, EMPTY_*, TUPLE*, SETITEMS, APPENDS, BINPERSID, REDUCE, BUILD, the memo, and the globals of
/// torch.save.
///
/// `storage_bytes` are the lengths of the storages that its tensors name by index. kInvalidArgument where a value has
/// no such form.
Result<std::string> WritePickle(const pickled::Value& root, std::span<const std::uint64_t> storage_bytes);

}  // namespace gcsflux::internal
