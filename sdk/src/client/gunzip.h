#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "gcsflux/client.h"

namespace gcsflux::internal {

/// Decompresses gzip data (RFC 1952, possibly several members) chunk by chunk. Holds 64 KiB of output at most. Used by
/// one thread.
class Gunzip {
 public:
  Gunzip();

  /// Decompresses the next bytes into the sink. Fails as the sink does. After damaged data it writes nothing more, and
  /// reports no error here: the object's checksum will show whether the object or the transfer is damaged.
  Result<void> Write(std::span<const std::byte> data, const ByteSink& sink);

  /// Call it after all data. Returns kUndecodable if the data is damaged or incomplete.
  [[nodiscard]] Result<void> Finish() const;

  /// Bytes written to the sink.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Inflater;
  struct InflaterDeleter {
    void operator()(Inflater* inflater) const;
  };

  std::unique_ptr<Inflater, InflaterDeleter> inflater_;
  bool is_at_end_ = false;  // of a member
  bool is_broken_ = false;
  std::uint64_t bytes_ = 0;
};

}  // namespace gcsflux::internal
