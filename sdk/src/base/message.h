#pragma once

#include <bit>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "gcsflux/result.h"

// Values as bytes, in few of them: what ranks tell each other, and tables of tensors.
namespace gcsflux::internal {

/// The fields of a struct as MessageWriter::Put() and MessageReader::Take() see them, in its namespace:
/// `template <SameAs<Point> Self> auto FieldsOf(Self& self) { return std::tie(self.x, self.y); }`
template <class Self, class T>
concept SameAs = std::same_as<std::remove_const_t<Self>, T>;

template <class T>
concept IsNumber = std::integral<T> || std::is_enum_v<T>;

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
  /// Fields of any kind, and structs of them.
  template <class... Fields>
  MessageWriter& Put(const Fields&... fields) {
    (PutOne(fields), ...);
    return *this;
  }
  [[nodiscard]] std::string Take() { return std::move(bytes_); }

 private:
  void PutOne(IsNumber auto number) { Number(static_cast<std::uint64_t>(number)); }
  void PutOne(double number) { Number(std::bit_cast<std::uint64_t>(number)); }
  void PutOne(std::string_view text) { Text(text); }
  void PutOne(const std::string& text) { Text(text); }
  void PutOne(std::chrono::system_clock::time_point time) { PutOne(time.time_since_epoch().count()); }
  void PutOne(const Error& error) { Put(error.code, error.outcome, error.message); }
  template <class T>
  void PutOne(const std::optional<T>& one) {
    PutOne(one.has_value());
    if (one) PutOne(*one);
  }
  template <class T>
  void PutOne(const std::vector<T>& list) {
    Number(list.size());
    for (const T& one : list) PutOne(one);
  }
  template <class Key, class Value>
  void PutOne(const std::map<Key, Value>& map) {
    Number(map.size());
    for (const auto& [key, value] : map) Put(key, value);
  }
  template <class Struct>
  requires std::is_aggregate_v<Struct>
  void PutOne(const Struct& one) {
    std::apply([this](const auto&... fields) { Put(fields...); }, FieldsOf(one));
  }

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

  /// What MessageWriter::Put() wrote.
  template <class... Fields>
  void Take(Fields&... fields) {
    (TakeOne(fields), ...);
  }

 private:
  template <IsNumber Type>
  void TakeOne(Type& number) {
    number = static_cast<Type>(Number());
  }
  void TakeOne(double& number) { number = std::bit_cast<double>(Number()); }
  void TakeOne(std::string& text) { text = Text(); }
  void TakeOne(std::chrono::system_clock::time_point& time) {
    time =
        std::chrono::system_clock::time_point(std::chrono::system_clock::duration(static_cast<std::int64_t>(Number())));
  }
  void TakeOne(Error& error) {
    Take(error.code, error.outcome, error.message);
    if (error.code > ErrorCode::kForked) error.code = ErrorCode::kBadResponse;
    if (error.outcome > WriteOutcome::kUnknown) error.outcome = WriteOutcome::kUnknown;
  }
  template <class T>
  void TakeOne(std::optional<T>& one) {
    if (Number() != 0) TakeOne(one.emplace());
  }
  template <class T>
  void TakeOne(std::vector<T>& list) {
    for (std::size_t left = Count(); left > 0; --left) TakeOne(list.emplace_back());
  }
  template <class Key, class Value>
  void TakeOne(std::map<Key, Value>& map) {
    for (std::size_t left = Count(); left > 0; --left) {
      Key key;
      TakeOne(key);
      TakeOne(map[std::move(key)]);
    }
  }
  template <class Struct>
  requires std::is_aggregate_v<Struct>
  void TakeOne(Struct& one) {
    std::apply([this](auto&... fields) { Take(fields...); }, FieldsOf(one));
  }

  std::uint64_t Broken() {
    is_ok_ = false;
    at_ = bytes_.size();
    return 0;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool is_ok_ = true;
};

inline Error TakeError(MessageReader& reader) {
  Error error;
  reader.Take(error);
  return error;
}

}  // namespace gcsflux::internal
