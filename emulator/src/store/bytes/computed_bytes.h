#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gcsflux::emulator {

/// Bytes that are computed when they are read, and never kept. They never change. Thread-safe.
class ComputedBytes {
 public:
  virtual ~ComputedBytes() = default;

  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Of all bytes, in O(log size).
  [[nodiscard]] virtual std::uint32_t crc32c() const = 0;
  /// Fills `into` with the bytes from `offset` on. All of them must exist.
  virtual void Read(std::uint64_t offset, std::span<std::byte> into) const = 0;
};

}  // namespace gcsflux::emulator
