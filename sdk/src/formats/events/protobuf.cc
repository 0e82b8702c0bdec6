#include "formats/events/protobuf.h"

namespace gcsflux::internal {

std::optional<ProtobufField> ProtobufReader::Damaged() {
  is_damaged_ = true;
  rest_ = {};
  return std::nullopt;
}

std::optional<std::uint64_t> ProtobufReader::TakeVarint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> ProtobufReader::Take(std::uint64_t count) {
  if (count > rest_.size()) return std::nullopt;
  const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
  rest_.remove_prefix(taken.size());
  return taken;
}

std::optional<ProtobufField> ProtobufReader::Next() {
  if (rest_.empty()) return std::nullopt;
  const auto tag = TakeVarint();
  if (!tag) return Damaged();
  ProtobufField field{.number = *tag >> 3};
  const std::uint64_t type = *tag & 7;
  if (type == 1 || type == 5) {
    const auto bits = Take(type == 1 ? 8 : 4);
    if (!bits) return Damaged();
    field.value = type == 1 ? FromLittleEndian<std::uint64_t>(*bits) : FromLittleEndian<std::uint32_t>(*bits);
    return field;
  }
  if (type != 0 && type != 2) return Damaged();
  const auto number = TakeVarint();
  if (!number) return Damaged();
  field.value = *number;
  if (type == 0) return field;
  const auto bytes = Take(*number);
  if (!bytes) return Damaged();
  field.bytes = *bytes;
  field.is_bytes = true;
  return field;
}

}  // namespace gcsflux::internal
