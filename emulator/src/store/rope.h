#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::emulator {

/// Immutable bytes in reference-counted segments: slicing and joining move none of them.
///
/// A value; copies share the segments. Safe to read from many threads.
class Rope {
 public:
  Rope() = default;
  /// A copy of `bytes`.
  explicit Rope(std::string_view bytes);
  /// Shares `size` bytes at `memory`, which must not change any more.
  Rope(std::shared_ptr<const std::byte> memory, std::size_t size);

  [[nodiscard]] std::uint64_t size() const { return size_; }

  void Append(const Rope& tail);

  /// Bytes [offset, offset + length), which must lie within.
  [[nodiscard]] Rope Slice(std::uint64_t offset, std::uint64_t length) const;

  /// The same bytes; where they are few, without the rest of the segments that they lie in.
  [[nodiscard]] Rope Compact() const;

  /// A copy in one string: for small ropes.
  [[nodiscard]] std::string ToString() const;

  /// Calls `visit(std::span<const std::byte>)` on the runs of [offset, offset + length) until it returns false.
  /// Returns whether all were visited. The spans live as long as this rope's segments.
  template <class Visit>
  bool ForEachSpan(std::uint64_t offset, std::uint64_t length, Visit&& visit) const {
    for (const Piece& piece : pieces_) {
      if (length == 0) break;
      if (offset >= piece.size) {
        offset -= piece.size;
        continue;
      }
      const auto run = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size - offset, length));
      if (!visit(std::span<const std::byte>(piece.memory.get() + offset, run))) return false;
      offset = 0;
      length -= run;
    }
    return true;
  }

 private:
  struct Piece {
    std::shared_ptr<const std::byte> memory = {};  // points at the piece's first byte, owns its whole segment
    std::size_t size = 0;
  };
  std::vector<Piece> pieces_;
  std::uint64_t size_ = 0;
};

/// Collects bytes as they arrive, straight into the segments they will live in. One thread.
class RopeBuilder {
 public:
  /// With an expected size, memory is taken for that much and no more.
  explicit RopeBuilder(std::optional<std::uint64_t> expected_size = {}) : expected_size_(expected_size) {}

  /// Room for the next bytes; never empty, valid until the next call.
  std::span<std::byte> Room();
  /// The first `bytes` bytes of Room() have been filled in.
  void Commit(std::size_t bytes);

  [[nodiscard]] std::uint64_t size() const { return full_.size() + used_; }

  /// Everything committed; the builder is empty afterwards.
  Rope Build();

 private:
  [[nodiscard]] std::size_t NextSegmentSize() const;
  void Seal();

  std::optional<std::uint64_t> expected_size_;
  Rope full_;
  std::shared_ptr<std::byte> segment_;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
};

}  // namespace gcsflux::emulator
