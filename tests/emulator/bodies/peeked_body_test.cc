#include "bodies/peeked_body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace gcsflux::emulator {
namespace {

// Gives three bytes at a time, then ends or breaks off.
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

std::string ReadToEnd(RequestBody& body) {
  std::string text;
  std::array<char, 4> room{};
  while (const std::optional<std::size_t> read = body.Read(std::as_writable_bytes(std::span(room)))) {
    if (*read == 0) return text;
    text.append(room.data(), *read);
  }
  return text + "|broken";
}

TEST(PeekedBody, IsReadWholeWhereverItWasPeekedTo) {
  for (const std::size_t peeked : {0, 1, 3, 5, 10, 99}) {
    TextBody inner("0123456789", false);
    PeekedBody body(inner);
    EXPECT_EQ(body.Peek(peeked), std::string("0123456789").substr(0, peeked));
    EXPECT_EQ(ReadToEnd(body), "0123456789") << "peeked at " << peeked;
    EXPECT_EQ(body.announced_size(), 10U);
  }
}

TEST(PeekedBody, BreaksOffWhereTheBodyDoes) {
  for (const std::size_t peeked : {0, 4, 99}) {
    TextBody inner("01234", true);
    PeekedBody body(inner);
    body.Peek(peeked);
    EXPECT_EQ(ReadToEnd(body), "01234|broken") << "peeked at " << peeked;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
