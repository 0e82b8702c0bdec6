#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

namespace gcsflux::emulator {

/// Memory that copies of this share, and that the last copy frees. It takes 8 bytes of the heap in addition, where a
/// shared array takes 40: most objects are small. The owners may be in different threads.
class Segment {
 public:
  /// No memory.
  Segment() = default;
  /// Not zeroed: the receiver writes it once. (Asking for huge pages makes that twice as fast if the kernel has free
  /// ones, and six times slower if it must first make room for them.)
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
    // The last owner sees all writes of the others before it frees the memory.
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

  Block* block_ = nullptr;  // the bytes follow directly
};

}  // namespace gcsflux::emulator
