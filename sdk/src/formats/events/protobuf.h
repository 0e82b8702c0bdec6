#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/bytes/little_endian.h"

// Protocol buffers' wire format, as far as event files need it: https://protobuf.dev/programming-guides/encoding/
namespace gcsflux::internal {

/// Collects the fields of one message.
class ProtobufWriter {
 public:
  ProtobufWriter& Varint(int field, std::uint64_t value) {
    AddTag(field, 0);
    AddVarint(value);
    return *this;
  }
  ProtobufWriter& Double(int field, double value) {
    AddTag(field, 1);
    AppendLittleEndian(bytes_, std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  ProtobufWriter& Float(int field, float value) {
    AddTag(field, 5);
    AppendLittleEndian(bytes_, std::bit_cast<std::uint32_t>(value));
    return *this;
  }
  /// Text, bytes, or another message.
  ProtobufWriter& Bytes(int field, std::string_view value) {
    AddTag(field, 2);
    AddVarint(value.size());
    bytes_ += value;
    return *this;
  }
  /// A packed list.
  ProtobufWriter& Doubles(int field, std::span<const double> values) {
    AddTag(field, 2);
    AddVarint(8 * values.size());
    for (const double value : values) AppendLittleEndian(bytes_, std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void AddTag(int field, unsigned type) { AddVarint((static_cast<std::uint64_t>(field) << 3) | type); }
  void AddVarint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

/// One field of a message.
struct ProtobufField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;      ///< Of numbers: a varint, or the bits of a double or a float.
  std::string_view bytes = {};  ///< Of text, bytes and messages.
  bool is_bytes = false;
};

/// Reads the fields of a message, which must outlive it, in their order.
class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view message) : rest_(message) {}

  /// The next field. Nothing at the end, and at damage: then is_damaged() is true.
  std::optional<ProtobufField> Next();
  [[nodiscard]] bool is_damaged() const { return is_damaged_; }

 private:
  std::optional<std::uint64_t> TakeVarint();
  std::optional<std::string_view> Take(std::uint64_t count);
  std::optional<ProtobufField> Damaged();

  std::string_view rest_;
  bool is_damaged_ = false;
};

}  // namespace gcsflux::internal
