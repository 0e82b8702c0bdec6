#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "client/reported_checksum.h"
#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "transfer/read/range_checksums.h"

namespace gcsflux::internal {

/// Takes the bytes of a range in order. `offset` is the place of the first one in the object. If the range is read once
/// more, the bytes come again from its beginning.
using RangeSink = std::function<Result<void>(std::uint64_t offset, std::span<const std::byte> bytes)>;

struct RangeTarget {
  const RangeSink& sink;
  /// A whole object may come a second time if its bytes are corrupted.
  bool may_repeat = false;
  /// As in ReadTarget.
  bool is_copy = false;
  bool sums_itself = false;
};

/// The times of one read.
struct ReadTimes {
  std::chrono::nanoseconds first_byte{0};  ///< From the start of the call.
  std::chrono::nanoseconds total{0};
  std::uint64_t bytes = 0;
};

struct RangeAnswer {
  std::uint32_t crc32c = 0;  ///< Of the bytes; undefined for a range if the target sums itself.
  ReadTimes times = {};
};

/// One generation of an object, of a known size, or a part of one, and how it is read. All reads of a known object go
/// through it. Offsets are those in the source.
/// Thread-safe.
class PinnedObject {
 public:
  /// The arguments must outlive it.
  PinnedObject(const Client& client, const DownloadSource& source, const std::optional<EncryptionKey>& encryption_key,
               const CallOptions& call)
      : client_(client), source_(source), encryption_key_(encryption_key), call_(call) {}

  /// Reads the source by one request, of an object without a range. The sink never gets more bytes than the source has.
  /// If the object has another size than its source, returns kCorrupted.
  Result<RangeAnswer> ReadWhole(const RangeTarget& target, const std::stop_token& stop);
  /// The same for a range, of at least 1 byte, within the source.
  Result<RangeAnswer> ReadRange(const Range& range, const RangeTarget& target, const std::stop_token& stop);

  /// Compares the CRC32C of all bytes, as ReportedChecksum does: reads do not compare theirs with the source's.
  [[nodiscard]] Result<void> CheckWhole(std::uint32_t crc32c) const;
  /// The CRC32C that the listing or an answer gave. Nothing if none did.
  [[nodiscard]] std::optional<std::uint32_t> whole_crc32c() const {
    return source_.crc32c ? source_.crc32c : reported_.value();
  }
  /// Compares it with that of the answers, if they have one.
  [[nodiscard]] Result<void> CompareWithAnswers(std::uint32_t crc32c) const;

 private:
  Result<RangeAnswer> Read(const std::optional<ByteRange>& asked, const Range& expected, const RangeTarget& target,
                           const std::stop_token& stop);
  [[nodiscard]] Error OtherSize(const std::string& what) const;

  const Client& client_;
  const DownloadSource& source_;
  const std::optional<EncryptionKey>& encryption_key_;
  const CallOptions& call_;
  ReportedChecksum reported_;
};

}  // namespace gcsflux::internal
