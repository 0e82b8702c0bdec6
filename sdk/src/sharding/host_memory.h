#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Memory that other processes of this host can read. It has no name in a file system, and needs no room in /dev/shm.
/// Movable; for one thread at a time.
class HostMemory {
 public:
  /// Empty.
  static Result<HostMemory> Create();
  /// That of another process, to be read. kLocalIo if this process may not, or it has fewer bytes.
  static Result<HostMemory> Open(std::int64_t process, int descriptor, std::uint64_t size);

  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;
  ~HostMemory();

  /// Once, after Create(). The bytes are 0.
  Result<void> Resize(std::uint64_t size);

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  explicit HostMemory(int descriptor) : descriptor_(descriptor) {}
  Result<void> Map(std::uint64_t size, int protection, const std::string& what);

  int descriptor_ = -1;
  std::span<std::byte> bytes_ = {};
};

/// Equal on processes that can open each other's HostMemory: those of one user that see the same processes of one
/// running system.
std::string ThisHost();

}  // namespace gcsflux::internal
