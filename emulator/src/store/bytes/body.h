#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "store/bytes/md5.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

/// The content of an object: immutable bytes and their checksums. All objects with this content share it. Thread-safe.
class Body {
 public:
  /// Computes the CRC32C.
  explicit Body(Rope bytes);
  /// For bytes whose CRC32C is known, and perhaps their MD5.
  Body(Rope bytes, std::uint32_t crc32c, const std::optional<Md5Digest>& md5 = {});
  /// For bytes that are computed and never kept.
  explicit Body(const std::shared_ptr<const ComputedBytes>& bytes);
  ~Body() { delete md5_.load(std::memory_order_relaxed); }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  [[nodiscard]] const Rope& bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }
  [[nodiscard]] std::uint32_t crc32c() const { return computed_ == nullptr ? crc32c_ : computed_->crc32c(); }
  /// Whether these bytes are computed and never kept. Their MD5 is not shown: it might take hours.
  [[nodiscard]] bool is_computed() const { return computed_ != nullptr; }

  /// The first call computes it, which takes about 1 s per GB, and keeps it. May throw Interrupted.
  [[nodiscard]] const Md5Digest& md5() const;
  /// Says that the bytes come from files that an earlier process wrote: see CheckBytes(). Call it before others share
  /// it.
  void CheckBeforeRead() { is_unchecked_ = true; }
  /// Call it before an answer shows the bytes. Throws DamagedBytes if they are of an earlier process and not those that
  /// were written. The first call reads them; of bodies above 64 MiB it only looks whether they are there.
  void CheckBytes() const {
    if (is_unchecked_.load(std::memory_order_relaxed)) CompareBytes();
  }
  /// Whether it was computed already.
  [[nodiscard]] bool has_md5() const { return md5_.load(std::memory_order_acquire) != nullptr; }

 private:
  void CompareBytes() const;

  Rope bytes_;
  const ComputedBytes* computed_ = nullptr;  // the content of bytes_, if it is computed as a whole
  std::uint32_t crc32c_ = 0;                 // else
  mutable std::atomic<bool> is_unchecked_ = false;
  mutable std::atomic_flag is_hashing_;  // one thread at a time computes the MD5, and may be interrupted
  // Owned. A separate allocation, because most small objects never have one. Not a unique_ptr, because other threads
  // read the pointer while it is set.
  mutable std::atomic<const Md5Digest*> md5_ = nullptr;
};

using BodyPtr = std::shared_ptr<const Body>;

/// The sources joined, in O(segments): no byte is read or moved.
BodyPtr ConcatenateBodies(std::span<const BodyPtr> sources);

}  // namespace gcsflux::emulator
