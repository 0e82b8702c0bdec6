#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace gcsflux::internal {

/// Memory that a fiber runs on, with a page below it that may not be touched: a stack that overflows ends the process
/// and overwrites nothing.
class FiberStack {
 public:
  /// Nothing where the system gives no memory. Pages are taken when they are first used: 12 KiB for
  /// a read, measured.
  static std::optional<FiberStack> Make();

  FiberStack(FiberStack&&) = default;
  FiberStack& operator=(FiberStack&&) = default;

  /// What may be used.
  [[nodiscard]] std::span<std::byte> bytes() const;

 private:
  struct Unmap {
    void operator()(std::byte* start) const;
  };
  explicit FiberStack(std::byte* start) : start_(start) {}

  std::unique_ptr<std::byte, Unmap> start_;  // Of the page that may not be touched.
};

}  // namespace gcsflux::internal
