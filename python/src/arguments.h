#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gcsflux/download.h"
#include "gcsflux/object.h"

// What Python's callers give: names, memory, objects.
namespace gcsflux::python {

/// The text of a str, bytes or os.PathLike.
std::string ToText(nanobind::handle path);

/// "gs://bucket/name" (also gcs:// and gcsflux://), or "bucket/name". Raises InvalidArgumentError.
ObjectName ToName(nanobind::handle path);

/// The path of a local file.
inline std::string ToLocalPath(nanobind::handle path) { return ToText(path); }

/// An object that a call is about: a path, or what a listing or stat() said of it.
struct NamedObject {
  ObjectName name = {};
  std::optional<DownloadSource> known = {};  ///< With generation and size.

  [[nodiscard]] std::optional<std::int64_t> generation() const {
    return known ? std::optional(known->generation) : std::nullopt;
  }
};

NamedObject ToNamedObject(nanobind::handle object);

/// Memory of a Python object, by the buffer protocol. Until it is destroyed, the owner cannot resize the memory.
/// Destroy it with Python's lock.
class Buffer {
 public:
  /// Raises BufferError if the memory is not contiguous, or is not writable and should be.
  Buffer(nanobind::handle owner, bool is_written);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();

  [[nodiscard]] std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

/// A new bytes object of that size, and its memory, to be filled before Python sees it.
struct NewBytes {
  nanobind::object object;
  std::span<std::byte> memory;

  static NewBytes OfSize(std::size_t size);
};

/// One object of a listing, with the name of its bucket.
struct BucketObject {
  std::string bucket = {};
  ListedObject object = {};
};

}  // namespace gcsflux::python
