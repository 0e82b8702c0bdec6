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

/// A vector that grows by chunks: growing copies nothing, and needs no second copy's memory.
template <class T>
class Arena {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return chunks_[i / kChunk][i % kChunk]; }
  const T& operator[](std::size_t i) const { return chunks_[i / kChunk][i % kChunk]; }
  T& back() { return (*this)[size_ - 1]; }

  /// False if the allowance is used up; then nothing is added.
  bool Push(const T& value, MemoryAllowance& allowance) {
    if (size_ == chunks_.size() * kChunk) {
      if (!allowance.Take(kChunk * sizeof(T) + sizeof(void*))) return false;
      chunks_.push_back(std::make_unique<T[]>(kChunk));
    }
    (*this)[size_++] = value;
    return true;
  }

  /// Removes the last elements. Their memory stays for later ones.
  void Shrink(std::size_t size) { size_ = size; }

 private:
  static constexpr std::size_t kChunk = 4096;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace gcsflux::internal
