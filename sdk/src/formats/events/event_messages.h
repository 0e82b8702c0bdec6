#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "gcsflux/result.h"

// The messages of event files, as TensorBoard's event.proto, summary.proto and tensor.proto define them.
namespace gcsflux::internal {

/// When an event was, and what it is about.
struct EventHead {
  double wall_time = 0;       ///< Seconds since 1970.
  std::int64_t step = 0;      ///< Of the training.
  std::string_view tag = {};  ///< UTF-8.
};

/// A picture as PNG.
struct EncodedImage {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  int channels = 0;
  std::string_view png = {};
};

/// The first event of each file.
std::string VersionEvent(double wall_time);
std::string ScalarEvent(const EventHead& head, float value);
/// `text` is UTF-8; TensorBoard shows it as Markdown.
std::string TextEvent(const EventHead& head, std::string_view text);
std::string ImageEvent(const EventHead& head, const EncodedImage& image);
/// Values that are not finite are left out. Empty if no other ones are there.
std::string HistogramEvent(const EventHead& head, std::span<const float> values);

/// Calls `on_scalar` for each scalar of the file, in both forms that TensorBoard reads, and passes over everything
/// else. As ReadRecords() otherwise; an event that is no such message is kUndecodable too.
Result<std::size_t> ReadScalars(std::string_view file, const std::string& name,
                                const std::function<void(const EventHead& head, float value)>& on_scalar);

}  // namespace gcsflux::internal
