#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

namespace gcsflux::emulator {

/// Memory that copies of this share, and that goes with the last of them. It takes 8 bytes of the heap beside its own,
/// where a shared array takes 40: most objects are small. Its owners may be in many threads.
class Segment {
 public:
  /// No memory.
  Segment() = default;
  /// Not zeroed: it is written once, by whoever receives into it. (Asking for huge pages makes that twice as fast where
  /// the kernel has some at hand, and six times slower where it must first make room for them.)
  explicit Segment(std::size_t size) : block_(new (::operator new(sizeof(Block) + size)) Block) {}
  Segment(const Segment& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Segment(Segment&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Segment& operator=(Segment other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Segment() {
    // The last one sees all that the others did before it frees what they did it to.
    if (block_ == nullptr || block_->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    block_->~Block();
    ::operator delete(block_);
  }

  /// The first byte. There must be memory.
  [[nodiscard]] std::byte* data() const { return reinterpret_cast<std::byte*>(block_ + 1); }

 private:
  struct Block {
    std::atomic<std::size_t> owners = 1;
  };

  Block* block_ = nullptr;  // the bytes are right behind it
};

}  // namespace gcsflux::emulator
