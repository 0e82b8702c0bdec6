#include "store/rope.h"

#include <cassert>
#include <cstring>
#include <utility>

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMaxSegment = std::size_t{4} << 20;
constexpr std::size_t kFirstSegment = std::size_t{16} << 10;
constexpr std::size_t kCopyBelow = std::size_t{64} << 10;

// Not zeroed: it is written once, by whoever receives into it. (Asking for huge pages makes that twice as fast where
// the kernel has some at hand, and six times slower where it must first make room for them.)
std::shared_ptr<std::byte> Allocate(std::size_t size) {
  auto memory = std::make_shared_for_overwrite<std::byte[]>(size);
  std::byte* const first = memory.get();
  return {std::move(memory), first};
}

}  // namespace

Rope::Rope(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::shared_ptr<std::byte> memory = Allocate(bytes.size());
  std::memcpy(memory.get(), bytes.data(), bytes.size());
  *this = Rope(memory, bytes.size());
}

Rope::Rope(std::shared_ptr<const std::byte> memory, std::size_t size) : size_(size) {
  pieces_.push_back(Piece{std::move(memory), size});
}

Rope::Rope(std::shared_ptr<const ComputedBytes> bytes) : size_(bytes->size()) {
  pieces_.push_back(Piece{Computed{std::move(bytes)}, size_});
}

void Rope::Append(const Rope& tail) {
  pieces_.insert(pieces_.end(), tail.pieces_.begin(), tail.pieces_.end());
  size_ += tail.size_;
}

Rope Rope::Slice(std::uint64_t offset, std::uint64_t length) const {
  assert(offset <= size_ && length <= size_ - offset);
  Rope slice;
  for (const Piece& piece : pieces_) {
    if (length == 0) break;
    if (offset >= piece.size) {
      offset -= piece.size;
      continue;
    }
    Piece part{piece.content, std::min(piece.size - offset, length)};
    if (auto* memory = std::get_if<Memory>(&part.content)) {
      *memory = Memory(*memory, memory->get() + offset);
    } else {
      std::get<Computed>(part.content).offset += offset;
    }
    slice.size_ += part.size;
    offset = 0;
    length -= part.size;
    slice.pieces_.push_back(std::move(part));
  }
  return slice;
}

Rope Rope::Compact() const { return size_ <= kCopyBelow ? Rope(ToString()) : *this; }

std::string Rope::ToString() const {
  std::string text;
  text.reserve(size_);
  ForEachSpan(0, size_, [&](std::span<const std::byte> span) {
    text.append(reinterpret_cast<const char*>(span.data()), span.size());
    return true;
  });
  return text;
}

std::span<std::byte> RopeBuilder::Room() {
  if (used_ == capacity_) {
    Seal();
    capacity_ = NextSegmentSize();
    segment_ = Allocate(capacity_);
  }
  return {segment_.get() + used_, capacity_ - used_};
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
  segment_ = nullptr;
  capacity_ = used_ = 0;
}

Rope RopeBuilder::Build() {
  // A segment that is mostly empty would keep its memory as long as the object lives.
  if (used_ != 0 && used_ < capacity_ - capacity_ / 8) {
    std::shared_ptr<std::byte> exact = Allocate(used_);
    std::memcpy(exact.get(), segment_.get(), used_);
    segment_ = std::move(exact);
  }
  Seal();
  return std::exchange(full_, Rope());
}

}  // namespace gcsflux::emulator
