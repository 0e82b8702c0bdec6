#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gcsflux::internal {

/// Limits the memory that may still be taken. Thread-compatible.
class MemoryAllowance {
 public:
  explicit MemoryAllowance(std::uint64_t bytes) : left_(bytes) {}

  /// False if the limit is reached; it then stays false.
  bool Take(std::uint64_t bytes) {
    if (bytes > left_) left_ = 0;
    const bool is_enough = bytes <= left_;
    if (is_enough) left_ -= bytes;
    return is_enough;
  }

 private:
  std::uint64_t left_;
};

/// A vector that grows by pieces: growing copies nothing, and needs no second copy's memory.
template <class T>
class Arena {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return pieces_[i / kPiece][i % kPiece]; }
  const T& operator[](std::size_t i) const { return pieces_[i / kPiece][i % kPiece]; }
  T& back() { return (*this)[size_ - 1]; }

  /// False if the allowance is used up; then nothing is added.
  bool Push(const T& value, MemoryAllowance& allowance) {
    if (size_ == pieces_.size() * kPiece) {
      if (!allowance.Take(kPiece * sizeof(T) + sizeof(void*))) return false;
      pieces_.push_back(std::make_unique<T[]>(kPiece));
    }
    (*this)[size_++] = value;
    return true;
  }

  /// Removes the last elements. Their memory stays for later ones.
  void Shrink(std::size_t size) { size_ = size; }

 private:
  static constexpr std::size_t kPiece = 4096;
  std::vector<std::unique_ptr<T[]>> pieces_;
  std::size_t size_ = 0;
};

}  // namespace gcsflux::internal
