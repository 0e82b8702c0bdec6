#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace gcsflux::emulator {

/// Bytes in a file are no longer those that were written.
class DamagedBytes : public std::runtime_error {
 public:
  DamagedBytes() : std::runtime_error("the file with these bytes was cut or changed") {}
};

/// Where bytes are in a file, and where a mapping of that file shows them.
struct ExtentPlace {
  std::uint32_t file = 0;  ///< The file's number.
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  const std::byte* data = nullptr;
};

/// Bytes in a file, which never change. They are read through a mapping, as if they were in memory. Thread-safe.
class Extent {
 public:
  explicit Extent(const ExtentPlace& place) : place_(place) {}
  virtual ~Extent() = default;
  Extent(const Extent&) = delete;
  Extent& operator=(const Extent&) = delete;

  [[nodiscard]] const ExtentPlace& place() const { return place_; }
  /// Call it before a read: a mapping of a file that was cut would end the process. Throws DamagedBytes.
  virtual void CheckReadable() const = 0;
  /// False if the bytes were not there when their file was opened.
  [[nodiscard]] virtual bool is_there() const { return true; }

 private:
  const ExtentPlace place_;
};

}  // namespace gcsflux::emulator
