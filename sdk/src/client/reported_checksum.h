#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "client/client_core.h"

namespace gcsflux::internal {

/// The CRC32C of one object in the answers to reads of its ranges. Thread-safe.
class ReportedChecksum {
 public:
  /// Returns kBadResponse if an earlier answer had another CRC32C.
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

/// An object was read in ranges, and there is no CRC32C to compare it with. Counted and reported like a read in one
/// request. Returns kUnverified under ClientOptions::require_checksum.
inline Result<void> NoteUnverified(const ClientCore& core, const ObjectName& object) {
  const std::string uri = ToUri(object);
  core.observer().UnverifiedRead({.operation = "objects.get", .subject = uri, .bucket = object.bucket});
  if (!core.settings().require_checksum) return {};
  return Error{ErrorCode::kUnverified,
               "objects.get " + uri + ": the service gives no CRC32C (x-goog-hash) to check the bytes by"};
}

}  // namespace gcsflux::internal
