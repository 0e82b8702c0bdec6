#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace gcsflux::internal {

/// Memory that a fiber runs on, with a protected page below it: if the stack overflows, the process ends, and nothing
/// is overwritten.
class FiberStack {
 public:
  /// Nothing if the system gives no memory. Pages are taken at their first use: 12 KiB for a read, measured.
  static std::optional<FiberStack> Make();

  FiberStack(FiberStack&&) = default;
  FiberStack& operator=(FiberStack&&) = default;

  /// The usable memory.
  [[nodiscard]] std::span<std::byte> bytes() const;

 private:
  struct Unmap {
    void operator()(std::byte* start) const;
  };
  explicit FiberStack(std::byte* start) : start_(start) {}

  std::unique_ptr<std::byte, Unmap> start_;  // Start of the protected page.
};

}  // namespace gcsflux::internal
