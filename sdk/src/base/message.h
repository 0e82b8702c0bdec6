#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/result.h"

// Values as bytes, in few of them: what ranks tell each other, and tables of tensors.
namespace gcsflux::internal {

/// Appends fields; MessageReader takes them in the same order.
class MessageWriter {
 public:
  MessageWriter() = default;
  /// For about so many bytes, so that a large message is not copied as it grows.
  explicit MessageWriter(std::size_t expected) { bytes_.reserve(expected); }

  /// Small numbers take one byte.
  void Number(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(0x80 | (number & 0x7F));
    bytes_ += static_cast<char>(number);
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_ += text;
  }
  void Sizes(std::span<const std::int64_t> sizes) {
    Number(sizes.size());
    for (const std::int64_t size : sizes) Number(static_cast<std::uint64_t>(size));
  }
  [[nodiscard]] std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Borrows the bytes. After a field that is not there, all further ones are empty, and it is false.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : bytes_(bytes) {}

  explicit operator bool() const { return is_ok_; }
  [[nodiscard]] bool AtEnd() const { return is_ok_ && at_ == bytes_.size(); }

  std::uint64_t Number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return number;
    }
    return Broken();
  }
  std::string_view Text() {
    const std::uint64_t size = Number();
    if (size > bytes_.size() - at_) return Broken(), std::string_view();
    at_ += static_cast<std::size_t>(size);
    return bytes_.substr(at_ - static_cast<std::size_t>(size), static_cast<std::size_t>(size));
  }
  std::string String() { return std::string(Text()); }
  /// The number of items that follow, each of which takes a byte or more.
  std::size_t Count() {
    const std::uint64_t count = Number();
    return count <= bytes_.size() - at_ ? static_cast<std::size_t>(count) : static_cast<std::size_t>(Broken());
  }
  /// Appends them.
  void Sizes(std::vector<std::int64_t>& into) {
    for (std::size_t left = Count(); left > 0; --left) into.push_back(static_cast<std::int64_t>(Number()));
  }
  std::vector<std::int64_t> Sizes() {
    std::vector<std::int64_t> sizes(Count());  // Takes no more memory than it needs.
    for (std::int64_t& size : sizes) size = static_cast<std::int64_t>(Number());
    return sizes;
  }

 private:
  std::uint64_t Broken() {
    is_ok_ = false;
    at_ = bytes_.size();
    return 0;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool is_ok_ = true;
};

inline void PutError(MessageWriter& writer, const Error& error) {
  writer.Number(static_cast<std::uint64_t>(error.code));
  writer.Number(static_cast<std::uint64_t>(error.outcome));
  writer.Text(error.message);
}

inline Error TakeError(MessageReader& reader) {
  const std::uint64_t code = reader.Number();
  const bool is_code = code <= static_cast<std::uint64_t>(ErrorCode::kForked);
  const std::uint64_t outcome = reader.Number();
  const bool is_outcome = outcome <= static_cast<std::uint64_t>(WriteOutcome::kUnknown);
  return {.code = is_code ? static_cast<ErrorCode>(code) : ErrorCode::kBadResponse,
          .message = reader.String(),
          .outcome = is_outcome ? static_cast<WriteOutcome>(outcome) : WriteOutcome::kUnknown};
}

}  // namespace gcsflux::internal
