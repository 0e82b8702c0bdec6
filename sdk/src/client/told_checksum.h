#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "client/client_core.h"

namespace gcsflux::internal {

/// The CRC32C of one object, as the answers to the reads of its ranges say it. Thread-safe.
class ToldChecksum {
 public:
  /// kBadResponse where an earlier answer said another one.
  Result<void> Note(const ObjectName& object, const std::optional<std::uint32_t>& crc32c) {
    if (!crc32c) return {};
    const std::scoped_lock lock(mutex_);
    if (crc32c_ && *crc32c_ != *crc32c) {
      return Error{ErrorCode::kBadResponse,
                   "objects.get " + ToUri(object) + ": two answers of one generation say two different CRC32Cs"};
    }
    crc32c_ = crc32c;
    return {};
  }

  [[nodiscard]] std::optional<std::uint32_t> value() const {
    const std::scoped_lock lock(mutex_);
    return crc32c_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<std::uint32_t> crc32c_;  // Guarded by mutex_.
};

/// An object came in ranges, and neither a listing nor an answer gave a CRC32C to compare it with: counted and told as
/// of a read in one request; kUnverified under ClientOptions::require_checksum.
inline Result<void> NoteUnverified(const ClientCore& core, const ObjectName& object) {
  const std::string uri = ToUri(object);
  core.observer().UnverifiedRead({.operation = "objects.get", .subject = uri, .bucket = object.bucket});
  if (!core.settings().require_checksum) return {};
  return Error{ErrorCode::kUnverified,
               "objects.get " + uri + ": the service gives no CRC32C (x-goog-hash) to check the bytes by"};
}

}  // namespace gcsflux::internal
