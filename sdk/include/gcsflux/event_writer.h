#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gcsflux/client.h"

namespace gcsflux {

struct DatasetReport;
namespace internal {
class EventFlusher;
}  // namespace internal

/// For EventWriter::Open().
struct EventWriterOptions {
  /// What distinguishes this run from others, for its record: {{"learning_rate", "0.01"}}.
  std::map<std::string, std::string> parameters = {};
  std::string revision = {};  ///< The program's, for the record: what `git rev-parse HEAD` prints.
  /// Time from one flush to the next one; more than 0. In a bucket a flush is two operations of class A (an object of
  /// events, and the record), and none if nothing was added. Lower it to watch a short run.
  std::chrono::milliseconds flush_interval = std::chrono::seconds(30);
  /// Most memory for events that are not stored yet. If the destination fails for so long that it is used up, further
  /// events are dropped, and counted. While a flush runs, as much again is used.
  std::size_t max_pending_bytes = 8U << 20;
  /// How long Close() and the destructor wait until everything is stored.
  std::chrono::milliseconds end_deadline = std::chrono::seconds(30);
  /// Told of the first failure to store, by a thread of the writer, which must not call Flush() or Close(); an
  /// exception is dropped. By default it is a line on standard error.
  std::function<void(const Error&)> on_failure = {};
  CallOptions call = {};  ///< For all requests.
};

/// An image of 8 bits for each channel, in the layout of a tensor CHW.
struct EventImage {
  std::span<const std::uint8_t> pixels = {};  ///< channels x height x width.
  std::uint32_t height = 0;                   ///< At least 1.
  std::uint32_t width = 0;                    ///< At least 1.
  int channels = 1;                           ///< 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha.
};

/// Writes what a training tells of itself as event files of TensorBoard, to a bucket or a local directory:
///
/// `auto events = ValueOrThrow(EventWriter::Open(client, "gs://bucket/runs/7")); events.AddScalar("loss", loss, step);`
///
/// A directory has the events of one process at a time: let rank 0 write, or give each rank its own. Files are named as
/// TensorBoard expects them, and are read in their order. In a bucket, the newest object is replaced by a longer one at
/// each flush, until it has 1 MiB and the next one follows; if the bucket refuses that (a retention policy, no
/// permission to delete), each flush makes an object of its own. A local file grows. The events of a process that is
/// killed are those of its last flush, whole. Beside the files, the record "run.json" has the run's state, parameters,
/// the last, least and greatest value of each scalar, where it ran, and what its client did: `gcsflux runs` reads it.
///
/// Add...() encode and return: they make no request, wait for none, and throw nothing. What cannot be stored is told
/// once (EventWriterOptions::on_failure) and by Close(), and is kept and tried again at each flush, within
/// max_pending_bytes. If the answer to a write was lost, events may be stored twice.
///
/// Tags and texts are UTF-8: in a tag, '_' takes the place of control characters and of what is not UTF-8, and what
/// follows its first 512 bytes is cut off. Steps are stored as given; they may go back.
///
/// Thread-safe, except Close() and the destructor. Movable. In a child of fork(), Add...() do nothing, and the rest
/// returns kForked.
class EventWriter {
 public:
  /// `directory` is a gs:// URI or a local path, which is made at the first flush. Makes no request itself; the first
  /// flush begins at once. Returns kInvalidArgument for a wrong URI or option, and kLocalIo if the system starts no
  /// thread.
  static Result<EventWriter> Open(const Client& client, const std::string& directory, EventWriterOptions options = {});

  EventWriter(EventWriter&&) noexcept;
  EventWriter& operator=(EventWriter&&) noexcept;
  /// Stores what is left, as Close() does, and the record says that the run was interrupted.
  ~EventWriter();

  /// Stored as a float; infinite and NaN values too.
  void AddScalar(std::string_view tag, double value, std::int64_t step);
  /// TensorBoard shows the text as Markdown.
  void AddText(std::string_view tag, std::string_view text, std::int64_t step);
  /// As 30 buckets between the least and the greatest value. Values that are not finite are left out; without any other
  /// one nothing is stored. Of a contiguous tensor t on the CPU: {t.const_data_ptr<float>(), size_t(t.numel())}.
  void AddHistogram(std::string_view tag, std::span<const float> values, std::int64_t step);
  /// Compresses the image as PNG, on this thread. An image whose sizes do not fit is an event that could not be stored.
  void AddImage(std::string_view tag, const EventImage& image, std::int64_t step);
  /// For the record, in place of an earlier one.
  void SetReport(const DatasetReport& report);

  /// Waits until all events that were added before are stored, or returns why they are not.
  Result<void> Flush();

  /// Stores what is left, and the record of a finished run. Returns why, and how many, events are not stored. Waits for
  /// EventWriterOptions::end_deadline at most. Add...() do nothing afterwards, and a second call returns the same.
  Result<void> Close();

 private:
  explicit EventWriter(std::shared_ptr<internal::EventFlusher> flusher);
  std::shared_ptr<internal::EventFlusher> flusher_;
};

}  // namespace gcsflux
