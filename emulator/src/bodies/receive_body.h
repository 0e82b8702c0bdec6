#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "http/api_error.h"
#include "http/http_message.h"
#include "store/bytes/body.h"
#include "store/bytes/md5.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

struct ReceivedBody {
  Rope bytes = {};
  std::uint32_t crc32c = 0;  ///< Of `bytes`.
  bool is_whole = false;     ///< False if the body broke off or is malformed; `bytes` is what came before.
};

/// Bytes [begin, end) of a body.
struct HashedRange {
  std::uint64_t begin = 0;
  std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
};

/// Reads to the end of the body, straight into the memory in which it will be stored. If `md5` is not null, it is
/// extended while the rest arrives: by all bytes, or by those in `hashed`.
ReceivedBody ReceiveBody(RequestBody& body, Md5Stream* md5 = nullptr, const HashedRange& hashed = {});

/// What an object will hold, with its MD5 if that will be asked for. Null if the body broke off or is malformed.
BodyPtr ReceiveObject(RequestBody& body, bool needs_md5);

/// Why the body cannot be read to its end: 408 if the client is too slow, else 400.
ApiError BrokenOff(const RequestBody& body);

/// More than the JSON or XML of any request.
inline constexpr std::uint64_t kMaxText = std::uint64_t{4} << 20;

/// Reads a body that is text, not media. 400 above that size.
ApiResult<std::string> ReceiveText(RequestBody& body, std::uint64_t max_size = kMaxText);

}  // namespace gcsflux::emulator
