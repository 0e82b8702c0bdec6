#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// Gives three bytes at a time, then ends or breaks off.
class TextBody final : public RequestBody {
 public:
  TextBody(std::string text, bool breaks_off) : text_(std::move(text)), breaks_off_(breaks_off) {}
  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return text_.size(); }
  std::optional<std::size_t> Read(std::span<std::byte> into) override {
    const std::size_t size = std::min({into.size(), text_.size() - at_, std::size_t{3}});
    if (size == 0 && breaks_off_) return std::nullopt;
    std::memcpy(into.data(), text_.data() + at_, size);
    at_ += size;
    return size;
  }

 private:
  std::string text_;
  bool breaks_off_;
  std::size_t at_ = 0;
};

/// The rest of a body, with "|broken" after it if it breaks.
inline std::string ReadToEnd(RequestBody& body) {
  std::string text;
  std::array<char, 4> room{};
  while (const std::optional<std::size_t> read = body.Read(std::as_writable_bytes(std::span(room)))) {
    if (*read == 0) return text;
    text.append(room.data(), *read);
  }
  return text + "|broken";
}

}  // namespace gcsflux::emulator
