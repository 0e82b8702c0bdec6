#include "store/rope.h"

#include <cassert>
#include <cstring>
#include <utility>

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMaxSegment = std::size_t{4} << 20;
constexpr std::size_t kFirstSegment = std::size_t{16} << 10;
constexpr std::size_t kCopyBelow = std::size_t{64} << 10;

}  // namespace

Rope::Rope(std::string_view bytes) {
  if (bytes.empty()) return;
  const Segment segment(bytes.size());
  std::memcpy(segment.data(), bytes.data(), bytes.size());
  *this = Rope(segment, bytes.size());
}

Rope::Rope(Segment segment, std::size_t size) {
  const std::byte* const first = segment.data();
  Add(RopePiece{StoredRun{std::move(segment), first}, size});
}

Rope::Rope(std::shared_ptr<const ComputedBytes> bytes) {
  const std::uint64_t size = bytes->size();
  Add(RopePiece{ComputedRun{std::move(bytes)}, size});
}

void Rope::Append(const Rope& tail) {
  for (const RopePiece& piece : tail.pieces()) Add(piece);
}

Rope Rope::Slice(std::uint64_t offset, std::uint64_t length) const {
  assert(offset <= size() && length <= size() - offset);
  Rope slice;
  for (const RopePiece& piece : pieces()) {
    if (length == 0) break;
    if (offset >= piece.size) {
      offset -= piece.size;
      continue;
    }
    RopePiece part{piece.run, std::min(piece.size - offset, length)};
    if (auto* memory = std::get_if<StoredRun>(&part.run)) {
      memory->first += offset;
    } else {
      std::get<ComputedRun>(part.run).offset += offset;
    }
    offset = 0;
    length -= part.size;
    slice.Add(std::move(part));
  }
  return slice;
}

std::span<const RopePiece> Rope::pieces() const {
  if (const RopePiece* only = std::get_if<RopePiece>(&content_)) return {only, only->size != 0 ? 1U : 0U};
  return std::get<RopePieces>(content_).list;
}

void Rope::Add(RopePiece piece) {
  if (piece.size == 0) return;
  if (RopePiece* only = std::get_if<RopePiece>(&content_)) {
    if (only->size == 0) {
      *only = std::move(piece);
      return;
    }
    RopePieces several{.size = only->size};
    several.list.push_back(std::move(*only));
    content_ = std::move(several);
  }
  RopePieces& several = std::get<RopePieces>(content_);
  several.size += piece.size;
  several.list.push_back(std::move(piece));
}

Rope Rope::Compact() const { return size() <= kCopyBelow ? Rope(ToString()) : *this; }

std::string Rope::ToString() const {
  std::string text;
  text.reserve(size());
  ForEachSpan(0, size(), [&](std::span<const std::byte> span) {
    text.append(reinterpret_cast<const char*>(span.data()), span.size());
    return true;
  });
  return text;
}

std::span<std::byte> RopeBuilder::Room() {
  if (used_ == capacity_) {
    Seal();
    capacity_ = NextSegmentSize();
    segment_ = Segment(capacity_);
  }
  return {segment_.data() + used_, capacity_ - used_};
}

void RopeBuilder::Commit(std::size_t bytes) {
  assert(bytes <= capacity_ - used_);
  used_ += bytes;
}

std::size_t RopeBuilder::NextSegmentSize() const {
  if (expected_size_ && *expected_size_ > full_.size()) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(*expected_size_ - full_.size(), kMaxSegment));
  }
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(full_.size(), kFirstSegment, kMaxSegment));
}

void RopeBuilder::Seal() {
  if (used_ != 0) full_.Append(Rope(std::move(segment_), used_));
  segment_ = Segment();
  capacity_ = used_ = 0;
}

Rope RopeBuilder::Build() {
  // A segment that is mostly empty would keep its memory as long as the object lives.
  if (used_ != 0 && used_ < capacity_ - capacity_ / 8) {
    const Segment exact(used_);
    std::memcpy(exact.data(), segment_.data(), used_);
    segment_ = exact;
  }
  Seal();
  return std::exchange(full_, Rope());
}

}  // namespace gcsflux::emulator
