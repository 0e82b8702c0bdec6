#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Where other processes of this host find a HostMemory.
struct HostMemoryPlace {
  std::int64_t process = 0;
  int descriptor = -1;
  /// Random bytes at its beginning, because a process of another host may have the same numbers.
  std::string mark = {};
};

/// Memory that other processes of this host can read. It has no name in a file system, and needs no room in /dev/shm.
/// Movable; for one thread at a time.
class HostMemory {
 public:
  static constexpr std::size_t kMarkBytes = 16;

  /// Makes an empty one.
  static Result<HostMemory> Create();
  /// Opens the memory of another process for reading. Call it after that process has called Resize(). Returns kLocalIo
  /// if this process may not read it, if it has fewer bytes, or if something else is in its place.
  static Result<HostMemory> Open(const HostMemoryPlace& place, std::uint64_t size);

  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;
  ~HostMemory();

  /// Sets the size. Call it once, after Create(). The bytes are 0. Returns kLocalIo if the process may not have files
  /// of this size (ulimit -f).
  Result<void> Resize(std::uint64_t size);

  [[nodiscard]] std::span<std::byte> bytes() const { return mapped_.empty() ? mapped_ : mapped_.subspan(kMarkBytes); }
  [[nodiscard]] HostMemoryPlace place() const;

 private:
  HostMemory(int descriptor, std::string mark) : descriptor_(descriptor), mark_(std::move(mark)) {}
  Result<void> Map(std::uint64_t size, int protection, const std::string& what);
  [[nodiscard]] bool HasMark() const;

  int descriptor_ = -1;
  std::string mark_;
  std::span<std::byte> mapped_ = {};  // The mark, and the bytes.
};

/// Returns a text that is equal on processes that can open each other's HostMemory: those of one user that see the same
/// processes of one running system. If `proc` does not say this, returns a random text.
std::string ThisHost(const std::string& proc = "/proc");

}  // namespace gcsflux::internal
