#include <bit>
#include <optional>

#include "formats/bytes/format_error.h"
#include "formats/events/event_messages.h"
#include "formats/events/event_records.h"
#include "formats/events/protobuf.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kFloatType = 1;  // DT_FLOAT

float FloatOf(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

// The element of a tensor of one float, as TensorFlow 2 stores scalars. Nothing for other tensors.
std::optional<float> ScalarOf(std::string_view tensor, bool& is_damaged) {
  std::uint64_t type = 0;
  std::optional<float> value;
  ProtobufReader reader(tensor);
  while (const auto field = reader.Next()) {
    if (field->number == 1) type = field->value;
    const bool is_value = field->number == 4 || field->number == 5;  // tensor_content, float_val
    if (is_value && field->is_bytes && field->bytes.size() == sizeof(float)) {
      value = FloatOf(FromLittleEndian<std::uint32_t>(field->bytes));
    } else if (field->number == 5 && !field->is_bytes) {
      value = FloatOf(field->value);
    }
  }
  is_damaged = is_damaged || reader.is_damaged();
  return type == kFloatType ? value : std::nullopt;
}

using OnScalar = std::function<void(const EventHead& head, float value)>;

// False if it is damaged.
bool ReadValue(std::string_view message, EventHead head, const OnScalar& on_scalar) {
  std::optional<float> value;
  bool is_damaged = false;
  ProtobufReader reader(message);
  while (const auto field = reader.Next()) {
    if (field->number == 1 && field->is_bytes) head.tag = field->bytes;
    if (field->number == 2 && !field->is_bytes) value = FloatOf(field->value);
    if (field->number == 8 && field->is_bytes) value = ScalarOf(field->bytes, is_damaged);
  }
  if (reader.is_damaged() || is_damaged) return false;
  if (value) on_scalar(head, *value);
  return true;
}

bool ReadEvent(std::string_view message, const OnScalar& on_scalar) {
  EventHead head;
  std::string_view summary;
  ProtobufReader reader(message);
  while (const auto field = reader.Next()) {
    if (field->number == 1 && !field->is_bytes) head.wall_time = std::bit_cast<double>(field->value);
    if (field->number == 2 && !field->is_bytes) head.step = static_cast<std::int64_t>(field->value);
    if (field->number == 5 && field->is_bytes) summary = field->bytes;
  }
  if (reader.is_damaged()) return false;
  ProtobufReader values(summary);
  while (const auto field = values.Next()) {
    if (field->number == 1 && field->is_bytes && !ReadValue(field->bytes, head, on_scalar)) return false;
  }
  return !values.is_damaged();
}

}  // namespace

Result<std::size_t> ReadScalars(std::string_view file, const std::string& name, const OnScalar& on_scalar) {
  std::optional<Error> damage;
  auto read = ReadRecords(file, name, [&](std::string_view payload) {
    if (damage || ReadEvent(payload, on_scalar)) return;
    const auto offset = static_cast<std::uint64_t>(payload.data() - file.data());
    damage = Undecodable(name, "", offset, "the record is no event of TensorBoard");
  });
  if (damage) return *damage;
  return read;
}

}  // namespace gcsflux::internal
