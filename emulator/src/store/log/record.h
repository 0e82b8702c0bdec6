#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/time_source.h"

namespace gcsflux::emulator {

/// A record cannot be read.
class BadRecord : public std::runtime_error {
 public:
  BadRecord() : std::runtime_error("a record is damaged, or was written by a later version") {}
};

/// Writes a record's fields, one after the other. A type is written by its overload of Describe(archive, value), which
/// names each field once, for writer and reader. New fields are added at the end.
class RecordWriter {
 public:
  template <class... Fields>
  void operator()(const Fields&... fields) {
    (Write(fields), ...);
  }
  /// Everything, with its checksum.
  [[nodiscard]] std::string Take();

 private:
  void Write(const std::string& value);
  void Write(std::int64_t value);
  void Write(Time value) { Write(value.time_since_epoch().count()); }
  void Write(std::chrono::seconds value) { Write(static_cast<std::int64_t>(value.count())); }
  template <class Number>
  requires(std::integral<Number> || std::is_enum_v<Number>) &&
      (!std::same_as<Number, std::int64_t>)void Write(Number value) {
    Write(static_cast<std::int64_t>(value));
  }
  template <std::size_t size>
  void Write(const std::array<std::byte, size>& value) {
    Write(std::string(reinterpret_cast<const char*>(value.data()), size));
  }
  template <class Value>
  void Write(const std::optional<Value>& value) {
    Write(value.has_value());
    if (value) Write(*value);
  }
  void Write(const std::map<std::string, std::string>& value);
  // A record within a record: its length first.
  template <class Described>
  requires std::is_aggregate_v<Described>
  void Write(const Described& value) {
    RecordWriter inner;
    Describe(inner, value);
    Write(inner.text_);
  }

  std::string text_;
};

/// Reads what RecordWriter has written. Fields that are not there keep their values. Throws BadRecord.
class RecordReader {
 public:
  /// Checks the checksum. The text must outlive it.
  explicit RecordReader(std::string_view text);

  template <class... Fields>
  void operator()(Fields&... fields) {
    (ReadUnlessAtEnd(fields), ...);
    if (!text_.empty()) throw BadRecord();
  }

 private:
  struct Inner {};
  RecordReader(Inner /*unused*/, std::string_view text) : text_(text) {}

  template <class Field>
  void ReadUnlessAtEnd(Field& field) {
    if (!text_.empty()) Read(field);
  }
  std::string_view ReadText();
  void Read(std::string& value) { value = ReadText(); }
  void Read(std::int64_t& value);
  void Read(Time& value);
  void Read(std::chrono::seconds& value);
  template <class Number>
  requires(std::integral<Number> || std::is_enum_v<Number>) &&
      (!std::same_as<Number, std::int64_t>)void Read(Number& value) {
    std::int64_t number = 0;
    Read(number);
    value = static_cast<Number>(number);
  }
  template <std::size_t size>
  void Read(std::array<std::byte, size>& value) {
    const std::string_view text = ReadText();
    if (text.size() != size) throw BadRecord();
    for (std::size_t i = 0; i < size; ++i) value[i] = static_cast<std::byte>(text[i]);
  }
  template <class Value>
  void Read(std::optional<Value>& value) {
    bool has_value = false;
    Read(has_value);
    if (has_value) Read(value.emplace());
  }
  void Read(std::map<std::string, std::string>& value);
  template <class Described>
  requires std::is_aggregate_v<Described>
  void Read(Described& value) {
    RecordReader inner(Inner(), ReadText());
    Describe(inner, value);
  }

  std::string_view text_;
};

/// The record's text.
template <class Described>
[[nodiscard]] std::string WriteRecord(const Described& value) {
  RecordWriter writer;
  Describe(writer, value);
  return writer.Take();
}

template <class Described>
[[nodiscard]] Described ReadRecord(std::string_view text) {
  RecordReader reader(text);
  Described value;
  Describe(reader, value);
  return value;
}

/// Numbers in keys: 8 bytes, so that keys are in the order of the numbers.
[[nodiscard]] std::string KeyNumber(std::uint64_t number);
/// The number at `at` of a key. Throws BadRecord.
[[nodiscard]] std::uint64_t NumberInKey(std::string_view key, std::size_t at);

/// For an overload of Describe(), which serves constant and other values.
template <class Value, class Described>
concept Of = std::same_as<std::remove_const_t<Value>, Described>;

}  // namespace gcsflux::emulator
