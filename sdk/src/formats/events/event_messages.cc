#include "formats/events/event_messages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "formats/events/protobuf.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kStringType = 7;  // DT_STRING
constexpr std::size_t kBuckets = 30;      // As in tf.summary.histogram().

std::string EventOf(const EventHead& head, const ProtobufWriter& value) {
  ProtobufWriter summary;
  summary.Bytes(1, value.bytes());
  ProtobufWriter event;
  event.Double(1, head.wall_time).Varint(2, static_cast<std::uint64_t>(head.step)).Bytes(5, summary.bytes());
  return event.bytes();
}

ProtobufWriter ValueOf(const EventHead& head) {
  ProtobufWriter value;
  value.Bytes(1, head.tag);
  return value;
}

}  // namespace

std::string VersionEvent(double wall_time) {
  ProtobufWriter event;
  event.Double(1, wall_time).Bytes(3, "brain.Event:2");
  return event.bytes();
}

std::string ScalarEvent(const EventHead& head, float value) { return EventOf(head, ValueOf(head).Float(2, value)); }

std::string TextEvent(const EventHead& head, std::string_view text) {
  ProtobufWriter dimension;
  dimension.Varint(1, 1);
  ProtobufWriter shape;
  shape.Bytes(2, dimension.bytes());
  ProtobufWriter tensor;
  tensor.Varint(1, kStringType).Bytes(2, shape.bytes()).Bytes(8, text);
  ProtobufWriter plugin;
  plugin.Bytes(1, "text");
  ProtobufWriter metadata;
  metadata.Bytes(1, plugin.bytes());
  return EventOf(head, ValueOf(head).Bytes(8, tensor.bytes()).Bytes(9, metadata.bytes()));
}

std::string ImageEvent(const EventHead& head, const EncodedImage& image) {
  ProtobufWriter message;
  message.Varint(1, image.height)
      .Varint(2, image.width)
      .Varint(3, static_cast<std::uint64_t>(image.channels))
      .Bytes(4, image.png);
  return EventOf(head, ValueOf(head).Bytes(4, message.bytes()));
}

std::string HistogramEvent(const EventHead& head, std::span<const float> values) {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  double count = 0;
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
    ++count;
    sum += value;
    squares += value * value;
  }
  if (count == 0) return {};
  const double width = (most - least) / kBuckets;
  std::array<double, kBuckets> counts{};
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const double at = width > 0 ? (value - least) / width : 0;
    counts[std::min(static_cast<std::size_t>(at), kBuckets - 1)] += 1;
  }
  std::array<double, kBuckets> limits{};
  for (std::size_t i = 0; i < kBuckets; ++i) limits[i] = least + width * static_cast<double>(i + 1);
  // Equal values are one bucket, because TensorBoard draws none that has no width.
  const std::size_t buckets = width > 0 ? kBuckets : 1;
  limits[buckets - 1] = most;
  ProtobufWriter histogram;
  histogram.Double(1, least).Double(2, most).Double(3, count).Double(4, sum).Double(5, squares);
  histogram.Doubles(6, std::span(limits).first(buckets)).Doubles(7, std::span(counts).first(buckets));
  return EventOf(head, ValueOf(head).Bytes(5, histogram.bytes()));
}

}  // namespace gcsflux::internal
