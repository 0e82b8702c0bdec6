#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/process/mutex.h"
#include "client/client_core.h"

namespace gcsflux::internal {

/// kCorrupted: the bytes of a whole object have another CRC32C than the object. `operation` begins the message.
Error WrongChecksum(const std::string& operation, std::uint32_t came, std::uint32_t expected);

/// The CRC32C of one object in the answers to reads of its ranges. Thread-safe.
class ReportedChecksum {
 public:
  /// Returns kBadResponse if an earlier answer had another CRC32C.
  Result<void> Note(const ObjectName& object, const std::optional<std::uint32_t>& crc32c);

  /// Compares the CRC32C of all bytes with that of a listing or of the opening, `listed`, or else with that of the
  /// answers. Returns kCorrupted if they differ. If there is neither, the object counts as unverified, as in a read of
  /// one request; under ClientOptions::require_checksum that is kUnverified.
  Result<void> CheckWhole(const ClientCore& core, const ObjectName& object, const std::optional<std::uint32_t>& listed,
                          std::uint32_t came) const;
  [[nodiscard]] std::optional<std::uint32_t> value() const;

 private:
  mutable Mutex mutex_;
  std::optional<std::uint32_t> crc32c_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
