#include "bodies/peeked_body.h"

#include <algorithm>
#include <cstring>

namespace gcsflux::emulator {

std::string_view PeekedBody::Peek(std::size_t size) {
  while (peeked_.size() < size && !is_broken_) {
    const std::size_t before = peeked_.size();
    peeked_.resize(size);
    const std::optional<std::size_t> read = body_.Read(std::as_writable_bytes(std::span(peeked_).subspan(before)));
    peeked_.resize(before + read.value_or(0));
    is_broken_ = !read;
    if (read == std::size_t{0}) break;
  }
  return peeked_;
}

std::optional<std::size_t> PeekedBody::Read(std::span<std::byte> into) {
  if (read_ == peeked_.size()) return is_broken_ ? std::nullopt : body_.Read(into);
  const std::size_t size = std::min(into.size(), peeked_.size() - read_);
  std::memcpy(into.data(), peeked_.data() + read_, size);
  read_ += size;
  return size;
}

}  // namespace gcsflux::emulator
