#pragma once

#include <cstdint>
#include <string>

#include "server/api_error.h"
#include "server/http_message.h"
#include "store/rope.h"

namespace gcsflux::emulator {

struct ReceivedBody {
  Rope bytes = {};
  bool is_whole = false;  ///< False where the body broke off or is malformed; `bytes` is what came before.
};

/// Reads to the end of the body, straight into the memory in which it will be stored.
ReceivedBody ReceiveBody(RequestBody& body);

/// Why the body cannot be read to its end: 408 where the client is too slow, else 400.
ApiError BrokenOff(const RequestBody& body);

/// BrokenOff() where it did.
ApiResult<Rope> ReceiveWholeBody(RequestBody& body);

/// A body that is JSON, not media: 400 above a size that none of them needs.
ApiResult<std::string> ReceiveText(RequestBody& body);

}  // namespace gcsflux::emulator
