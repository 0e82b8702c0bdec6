#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "store/buckets/bucket.h"
#include "store/buckets/preconditions.h"
#include "store/bytes/md5.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// The hashes that a client says its bytes have.
struct ExpectedHashes {
  std::optional<std::uint32_t> crc32c = {};
  std::optional<Md5Digest> md5 = {};
};

/// What an upload will become once its bytes have arrived.
struct PendingObject {
  std::shared_ptr<Bucket> bucket = {};
  std::string name = {};
  ObjectAttributes attributes = {};
  ExpectedHashes hashes = {};
  Preconditions preconditions = {};
  ObjectEncryption encryption = {};
  bool may_replace = true;                         ///< Whether the caller that began it may; see NewObject.
  std::function<Change(const Object&)> also = {};  ///< See NewObject.
};

}  // namespace gcsflux::emulator
