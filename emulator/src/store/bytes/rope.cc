#include "store/bytes/rope.h"

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
  if (size == 0) return;
  const std::byte* const first = segment.data();
  content_ = RopePiece{StoredRun{std::move(segment), first}, size};
}

Rope::Rope(std::shared_ptr<const ComputedBytes> bytes) {
  const std::uint64_t size = bytes->size();
  if (size != 0) content_ = RopePiece{ComputedRun{std::move(bytes)}, size};
}

Rope::Rope(std::shared_ptr<const Extent> extent, std::uint64_t offset, std::uint64_t size) {
  if (size == 0) return;
  const ExtentPlace& place = extent->place();
  assert(offset >= place.offset && offset - place.offset <= place.size - size);
  const std::byte* const first = place.data + (offset - place.offset);
  content_ = RopePiece{FileRun{std::move(extent), first}, size};
}

void Rope::Append(const Rope& tail) {
  if (tail.size() == 0) return;
  if (size() == 0) {
    *this = tail;
  } else {
    content_ = JoinTrees(tree(), tail.tree());
  }
}

Rope Rope::Slice(std::uint64_t offset, std::uint64_t length) const {
  assert(offset <= size() && length <= size() - offset);
  Rope slice;
  if (length == 0) return slice;
  RopeTree part = SliceTree(tree(), offset, length);
  if (const RopePiece* only = std::get_if<RopePiece>(&part->content)) {
    slice.content_ = *only;
  } else {
    slice.content_ = std::move(part);
  }
  return slice;
}

RopeTree Rope::tree() const {
  const RopePiece* only = std::get_if<RopePiece>(&content_);
  return only != nullptr ? std::make_shared<const RopeNode>(RopeNode{*only, only->size}) : std::get<RopeTree>(content_);
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

std::span<std::byte> RopeBuilder::Buffer() {
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
  // A segment that is mostly empty would keep all of its memory while the object exists.
  if (used_ != 0 && used_ < capacity_ - capacity_ / 8) {
    const Segment exact(used_);
    std::memcpy(exact.data(), segment_.data(), used_);
    segment_ = exact;
  }
  Seal();
  return std::exchange(full_, Rope());
}

}  // namespace gcsflux::emulator
