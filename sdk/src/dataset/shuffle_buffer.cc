#include "dataset/shuffle_buffer.h"

#include "dataset/mix.h"

namespace gcsflux::internal {

ShuffleBuffer::ShuffleBuffer(std::uint64_t capacity, std::uint64_t seed, std::uint64_t epoch)
    : capacity_(capacity), key_(Mix(seed) ^ Mix(epoch + 0x3C6EF372FE94F82B)) {}

std::size_t ShuffleBuffer::Draw(std::size_t known) {
  while (buffer_.size() < capacity_ && seen_ < known) buffer_.push_back(seen_++);
  std::size_t& place = buffer_[Mix(key_ ^ Mix(drawn_++)) % buffer_.size()];
  const std::size_t drawn = place;
  place = buffer_.back();
  buffer_.pop_back();
  return drawn;
}

}  // namespace gcsflux::internal
