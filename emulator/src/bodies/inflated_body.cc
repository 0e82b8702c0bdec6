#include "bodies/inflated_body.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace gcsflux::emulator {
namespace {

// gzip's content is at most 1,032 times as long: little input at a time keeps little content in memory.
constexpr std::size_t kInput = 4096;
constexpr std::string_view kBeginning = "\x1f\x8b";

}  // namespace

std::optional<std::size_t> InflatedBody::Read(std::span<std::byte> into) {
  while (read_ == content_.size() && state_ != State::kEnd && state_ != State::kBroken) Fill();
  if (read_ == content_.size()) return state_ == State::kEnd ? std::optional<std::size_t>(0) : std::nullopt;
  const std::size_t size = std::min(into.size(), content_.size() - read_);
  std::memcpy(into.data(), content_.data() + read_, size);
  read_ += size;
  return size;
}

// Replaces the content that was read by what the next bytes of the body hold.
void InflatedBody::Fill() {
  content_.clear();
  read_ = 0;
  std::array<std::byte, kInput> buffer;
  std::size_t size = 0;
  // The beginning may come in single bytes.
  while (size < (state_ == State::kUnread ? kBeginning.size() : 1)) {
    const std::optional<std::size_t> read = body_.Read(std::span(buffer).subspan(size));
    if (!read) {
      state_ = State::kBroken;
      return;
    }
    size += *read;
    if (*read == 0) break;
  }
  const std::span<const std::byte> bytes = std::span(buffer).first(size);
  if (state_ == State::kUnread) {
    const bool is_gzip = size >= kBeginning.size() && std::memcmp(buffer.data(), kBeginning.data(), 2) == 0;
    state_ = is_gzip ? State::kGzip : State::kPlain;
  }
  if (size == 0) {
    state_ = state_ == State::kPlain || inflater_.is_finished() ? State::kEnd : State::kBroken;
  } else if (!Take(bytes)) {
    state_ = State::kBroken;
  }
}

bool InflatedBody::Take(std::span<const std::byte> bytes) {
  const auto append = [this](std::span<const std::byte> part) {
    content_.append(reinterpret_cast<const char*>(part.data()), part.size());
    return true;
  };
  return state_ == State::kPlain ? append(bytes) : inflater_.Feed(bytes, append);
}

}  // namespace gcsflux::emulator
