#include "network/body_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "base/letter_case.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMaxChunkLine = 4096;
constexpr int kMaxTrailers = 100;

std::optional<std::uint64_t> ParseWhole(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

BodyReader::BodyReader(SocketStream& stream, const HttpHeaders& headers) : stream_(stream) {
  const std::string* expect = headers.Find("expect");
  wants_continue_ = expect != nullptr && IsInAnyCase(*expect, "100-continue");

  const std::optional<std::string> coding = headers.FindAll("transfer-encoding");
  const std::optional<std::string> length = headers.FindAll("content-length");
  if (coding) {
    // With a length in addition, two readers could see two different bodies.
    state_ = IsInAnyCase(*coding, "chunked") && !length ? State::kChunkStart : State::kBroken;
    return;
  }
  // Without a length there is no body, also in a POST: so says HTTP/1.1.
  announced_size_ = length ? ParseWhole(*length, 10) : 0;
  left_ = announced_size_.value_or(0);
  state_ = !announced_size_ ? State::kBroken : left_ != 0 ? State::kLength : State::kEnd;
}

std::optional<std::size_t> BodyReader::Read(std::span<std::byte> into) {
  if (wants_continue_ && state_ != State::kEnd && state_ != State::kBroken) {
    wants_continue_ = false;
    if (!stream_.has_buffered()) {
      stream_.Write("HTTP/1.1 100 Continue\r\n\r\n");
      stream_.Flush();
    }
  }
  if (state_ == State::kChunkStart && !BeginChunk()) Break();
  if (state_ == State::kEnd) return 0;
  if (state_ == State::kBroken) return std::nullopt;
  const std::size_t read =
      stream_.Read(into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left_))));
  if (read == 0) {
    Break();
    return std::nullopt;
  }
  Advance(read);
  return read;
}

void BodyReader::Advance(std::size_t read) {
  bytes_read_ += read;
  left_ -= read;
  if (left_ != 0) return;
  if (state_ == State::kLength) {
    state_ = State::kEnd;
    return;
  }
  const std::optional<std::string> end_of_data = stream_.ReadLine(0);
  if (!end_of_data || !end_of_data->empty()) return Break();
  state_ = State::kChunkStart;
}

void BodyReader::Break() {
  state_ = State::kBroken;
  is_overdue_ = stream_.is_overdue();
}

bool BodyReader::BeginChunk() {
  const std::optional<std::string> line = stream_.ReadLine(kMaxChunkLine);
  if (!line) return false;
  std::string_view digits(*line);
  digits = digits.substr(0, digits.find_first_of("; \t"));  // extensions are ignored
  const std::optional<std::uint64_t> size = ParseWhole(digits, 16);
  if (!size) return false;
  left_ = *size;
  state_ = left_ != 0 ? State::kChunkData : State::kEnd;
  return left_ != 0 || SkipTrailers();
}

bool BodyReader::SkipTrailers() {
  for (int i = 0; i < kMaxTrailers; ++i) {
    const std::optional<std::string> line = stream_.ReadLine(kMaxChunkLine);
    if (!line) return false;
    if (line->empty()) return true;
  }
  return false;
}

std::uint64_t BodyReader::unread() const {
  if (state_ == State::kLength) return left_;
  return state_ == State::kChunkStart || state_ == State::kChunkData ? UINT64_MAX : 0;
}

bool BodyReader::Drain() {
  std::array<std::byte, 65536> discarded;
  // If a client still waits for "100 Continue", it may never send its body.
  if (wants_continue_ && state_ != State::kEnd && !stream_.has_buffered()) return false;
  while (const std::optional<std::size_t> read = Read(discarded)) {
    if (*read == 0) return true;
  }
  return false;
}

}  // namespace gcsflux::emulator
