#include "gcsflux/event_writer.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/invalid_argument.h"
#include "base/moved_from.h"
#include "base/object_name.h"
#include "base/process/owner_process.h"
#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "checkpoints/step_names.h"
#include "formats/events/event_messages.h"
#include "formats/png.h"
#include "gcsflux/dataset.h"
#include "tracking/event_flusher.h"

namespace gcsflux {
namespace internal {
namespace {

constexpr std::size_t kMostTagBytes = 512;
constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 26;  // 64 MiB for each channel.

// Not ASCII, in a text that is no UTF-8.
std::string AsUtf8(std::string text, char instead) {
  if (IsUtf8(text)) return text;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, instead);
  return text;
}

std::string CleanTag(std::string_view tag) {
  if (tag.size() > kMostTagBytes) {
    tag = tag.substr(0, kMostTagBytes);
    // The rest of a character that is cut in two.
    while (!tag.empty() && !IsUtf8(tag) && tag.size() > kMostTagBytes - 4) tag.remove_suffix(1);
  }
  return tag.empty() ? "_" : Printable(AsUtf8(std::string(tag), '_'), '_');
}

Result<void> CheckOptions(const EventWriterOptions& options) {
  if (options.flush_interval.count() <= 0) {
    return InvalidArgument("EventWriterOptions::flush_interval is more than 0");
  }
  return {};
}

Result<std::unique_ptr<EventDestination>> DestinationAt(const Client& client, const std::string& directory,
                                                        const CallOptions& call) {
  if (directory.empty()) return InvalidArgument("EventWriter: the directory is empty");
  if (!IsObjectUri(directory)) return EventsInDirectory(client, directory);
  auto prefix = ParseUri(directory);
  if (!prefix) return prefix.error();
  if (!prefix->name.empty() && !prefix->name.ends_with('/')) prefix->name += '/';
  if (auto checked = CheckObject({prefix->bucket, prefix->name + kRunRecordName}); !checked) return checked.error();
  return EventsInBucket(client, *std::move(prefix), call);
}

Result<void> CheckImage(const EventImage& image) {
  const auto size = std::uint64_t{image.height} * image.width;
  const bool has_size = size > 0 && size <= kMostPixels && image.channels >= 1 && image.channels <= 4;
  if (has_size && image.pixels.size() == size * static_cast<std::uint64_t>(image.channels)) return {};
  return InvalidArgument("EventWriter::AddImage: " + std::to_string(image.pixels.size()) + " bytes are no image of " +
                         std::to_string(image.channels) + " x " + std::to_string(image.height) + " x " +
                         std::to_string(image.width));
}

std::map<std::string, double> FiguresOf(const DatasetReport& report) {
  const auto seconds = [](std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); };
  return {{"elapsed_seconds", seconds(report.elapsed)},
          {"epochs", static_cast<double>(report.epochs)},
          {"batches", static_cast<double>(report.batches)},
          {"samples", static_cast<double>(report.samples)},
          {"bytes", static_cast<double>(report.bytes)},
          {"wait_seconds", seconds(report.wait_time)},
          {"decode_seconds", seconds(report.decode_time)},
          {"skipped", static_cast<double>(report.skipped)},
          {"price_usd", report.price}};
}

// Without memory there is no event, and training continues.
template <class Encode>
void Try(EventFlusher* flusher, const Encode& encode) {
  if (flusher == nullptr || !flusher->IsOfThisProcess()) return;
  try {
    encode(*flusher);
  } catch (...) {
    flusher->Drop(Error{ErrorCode::kLocalIo, "out of memory"});
  }
}

}  // namespace
}  // namespace internal

using internal::EventFlusher;
using internal::EventHead;

Result<EventWriter> EventWriter::Open(const Client& client, const std::string& directory, EventWriterOptions options) {
  if (auto checked = internal::CheckOptions(options); !checked) return checked.error();
  auto destination = internal::DestinationAt(client, directory, options.call);
  if (!destination) return destination.error();
  auto flusher = EventFlusher::Start(client, directory, *std::move(destination), std::move(options));
  if (!flusher) return flusher.error();
  return EventWriter(internal::OwnedByProcess(*std::move(flusher)));
}

EventWriter::EventWriter(std::shared_ptr<EventFlusher> flusher) : flusher_(std::move(flusher)) {}
EventWriter::EventWriter(EventWriter&&) noexcept = default;
EventWriter& EventWriter::operator=(EventWriter&&) noexcept = default;
EventWriter::~EventWriter() = default;

void EventWriter::AddScalar(std::string_view tag, double value, std::int64_t step) {
  internal::Try(flusher_.get(), [&](EventFlusher& flusher) {
    const std::string name = internal::CleanTag(tag);
    const EventHead head{.wall_time = flusher.Now(), .step = step, .tag = name};
    flusher.AddScalar(internal::ScalarEvent(head, static_cast<float>(value)), name, value, step);
  });
}

void EventWriter::AddText(std::string_view tag, std::string_view text, std::int64_t step) {
  internal::Try(flusher_.get(), [&](EventFlusher& flusher) {
    const std::string name = internal::CleanTag(tag);
    const EventHead head{.wall_time = flusher.Now(), .step = step, .tag = name};
    flusher.Add(internal::TextEvent(head, internal::AsUtf8(std::string(text), '?')));
  });
}

void EventWriter::AddHistogram(std::string_view tag, std::span<const float> values, std::int64_t step) {
  internal::Try(flusher_.get(), [&](EventFlusher& flusher) {
    const std::string name = internal::CleanTag(tag);
    const EventHead head{.wall_time = flusher.Now(), .step = step, .tag = name};
    const std::string event = internal::HistogramEvent(head, values);
    if (!event.empty()) flusher.Add(event);
  });
}

void EventWriter::AddImage(std::string_view tag, const EventImage& image, std::int64_t step) {
  internal::Try(flusher_.get(), [&](EventFlusher& flusher) {
    if (const auto checked = internal::CheckImage(image); !checked) return flusher.Drop(checked.error());
    const std::string name = internal::CleanTag(tag);
    const EventHead head{.wall_time = flusher.Now(), .step = step, .tag = name};
    const std::string png = internal::EncodePng(image.pixels, image.height, image.width, image.channels);
    flusher.Add(internal::ImageEvent(head, {image.height, image.width, image.channels, png}));
  });
}

void EventWriter::SetReport(const DatasetReport& report) {
  internal::Try(flusher_.get(), [&](EventFlusher& flusher) { flusher.SetDataset(internal::FiguresOf(report)); });
}

Result<void> EventWriter::Flush() {
  if (flusher_ == nullptr) return internal::MovedFrom("EventWriter");
  if (!flusher_->IsOfThisProcess()) return internal::OwnerProcess::Refuse("the event writer");
  return flusher_->Flush();
}

Result<void> EventWriter::Close() {
  if (flusher_ == nullptr) return internal::MovedFrom("EventWriter");
  if (!flusher_->IsOfThisProcess()) return internal::OwnerProcess::Refuse("the event writer");
  return flusher_->Close("finished");
}

}  // namespace gcsflux
