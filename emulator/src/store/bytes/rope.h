#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "store/bytes/computed_bytes.h"
#include "store/bytes/rope_piece.h"
#include "store/bytes/segment.h"

namespace gcsflux::emulator {

/// Immutable bytes in reference-counted segments, kept or computed. Slicing and joining move no bytes. The memory
/// depends on what is joined, not on the length of the result.
///
/// A value; copies share the segments. Many threads may read it at once.
class Rope {
 public:
  Rope() = default;
  /// A copy of `bytes`.
  explicit Rope(std::string_view bytes);
  /// The first `size` bytes of a segment, which must not change afterwards.
  Rope(Segment segment, std::size_t size);
  /// All of `bytes`, which take memory only while they are read.
  explicit Rope(std::shared_ptr<const ComputedBytes> bytes);
  /// `size` bytes of an extent, from `offset` of its file on. All of them must be in it.
  Rope(std::shared_ptr<const Extent> extent, std::uint64_t offset, std::uint64_t size);

  [[nodiscard]] std::uint64_t size() const {
    const RopePiece* only = std::get_if<RopePiece>(&content_);
    return only != nullptr ? only->size : std::get<RopeTree>(content_)->size;
  }

  void Append(const Rope& tail);

  /// Bytes [offset, offset + length), all of which must exist.
  [[nodiscard]] Rope Slice(std::uint64_t offset, std::uint64_t length) const;

  /// The same bytes. If they are few, they are copied, so that they do not keep the rest of their segments.
  [[nodiscard]] Rope Compact() const;

  /// A copy in one string, for small ropes.
  [[nodiscard]] std::string ToString() const;

  /// Calls `visit(std::span<const std::byte>)` on the runs of [offset, offset + length) until it returns false. Returns
  /// whether all were visited. A span is valid during its visit only.
  template <class Visit>
  bool ForEachSpan(std::uint64_t offset, std::uint64_t length, Visit&& visit) const {
    if (length == 0) return true;
    const RopePiece* only = std::get_if<RopePiece>(&content_);
    if (only != nullptr) return VisitPiece(*only, offset, std::min(only->size - offset, length), visit);
    const RopeNode& tree = *std::get<RopeTree>(content_);
    return VisitNode(tree, offset, std::min(tree.size - offset, length), visit);
  }

  /// Calls `visit(const RopePiece&)` on all pieces, in their order.
  template <class Visit>
  void ForEachPiece(Visit&& visit) const {
    if (size() == 0) return;
    const RopePiece* only = std::get_if<RopePiece>(&content_);
    only != nullptr ? visit(*only) : VisitPieces(*std::get<RopeTree>(content_), visit);
  }

 private:
  // Small enough for the processor's cache, and for the heap to provide without new pages.
  static constexpr std::uint64_t kComputedRun = std::uint64_t{64} << 10;

  template <class Visit>
  static bool VisitNode(const RopeNode& node, std::uint64_t offset, std::uint64_t length, Visit& visit) {
    if (const RopePiece* piece = std::get_if<RopePiece>(&node.content)) {
      return VisitPiece(*piece, offset, length, visit);
    }
    const auto& [left, right] = std::get<RopeFork>(node.content);
    const std::uint64_t first = offset < left->size ? std::min(left->size - offset, length) : 0;
    if (first != 0 && !VisitNode(*left, offset, first, visit)) return false;
    if (first == length) return true;
    return VisitNode(*right, offset + first - left->size, length - first, visit);
  }

  template <class Visit>
  static void VisitPieces(const RopeNode& node, Visit& visit) {
    if (const RopePiece* piece = std::get_if<RopePiece>(&node.content)) return visit(*piece);
    const auto& [left, right] = std::get<RopeFork>(node.content);
    VisitPieces(*left, visit);
    VisitPieces(*right, visit);
  }

  template <class Visit>
  static bool VisitPiece(const RopePiece& piece, std::uint64_t offset, std::uint64_t length, Visit& visit) {
    if (const StoredRun* stored = std::get_if<StoredRun>(&piece.run)) {
      return visit(std::span<const std::byte>(stored->first + offset, static_cast<std::size_t>(length)));
    }
    if (const FileRun* file = std::get_if<FileRun>(&piece.run)) {
      file->extent->CheckReadable();
      return visit(std::span<const std::byte>(file->first + offset, static_cast<std::size_t>(length)));
    }
    const ComputedRun& computed = std::get<ComputedRun>(piece.run);
    const std::unique_ptr<std::byte[]> buffer(new std::byte[std::min(kComputedRun, length)]);
    while (length != 0) {
      const std::span<std::byte> run(buffer.get(), std::min(kComputedRun, length));
      computed.bytes->Read(computed.offset + offset, run);
      if (!visit(std::span<const std::byte>(run))) return false;
      offset += run.size();
      length -= run.size();
    }
    return true;
  }

  [[nodiscard]] RopeTree tree() const;

  // The only piece of a small object. It is kept here, so it takes no allocation of its own. Empty if there is none.
  std::variant<RopePiece, RopeTree> content_ = {};
};

/// Collects bytes as they arrive, straight into the segments that will keep them. One thread.
class RopeBuilder {
 public:
  /// If a size is expected, takes memory for exactly that much.
  explicit RopeBuilder(std::optional<std::uint64_t> expected_size = {}) : expected_size_(expected_size) {}

  /// Room for the next bytes; never empty, valid until the next call.
  std::span<std::byte> Buffer();
  /// Says that the first `bytes` bytes of Buffer() are filled.
  void Commit(std::size_t bytes);

  [[nodiscard]] std::uint64_t size() const { return full_.size() + used_; }

  /// Everything that was committed. The builder is empty afterwards.
  Rope Build();

 private:
  [[nodiscard]] std::size_t NextSegmentSize() const;
  void Seal();

  std::optional<std::uint64_t> expected_size_;
  Rope full_;
  Segment segment_;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
};

}  // namespace gcsflux::emulator
