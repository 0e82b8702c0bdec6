#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "gcsflux/client.h"

namespace gcsflux::internal {

/// Decompresses gzip data (RFC 1952, one member behind the other) that comes piece by piece. Holds 64 KiB of what comes
/// out, whatever that grows to. Used by one thread.
class Gunzip {
 public:
  Gunzip();

  /// Hands on what the next bytes hold; fails as the sink does. Data that is broken goes no further and is not reported
  /// here: the rest of it tells by its checksum whether the object is broken, or the way that it came.
  Result<void> Write(std::span<const std::byte> data, const ByteSink& sink);

  /// Once all has been written: kUndecodable where it was broken or has no end.
  [[nodiscard]] Result<void> Finish() const;

  /// Bytes handed on.
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
