#include "cli/terminal/print_object.h"

#include <unistd.h>

#include <algorithm>

#include "base/messages/local_error.h"
#include "cli/terminal/transfer_monitor.h"
#include "gcsflux/download.h"

namespace gcsflux::cli {
namespace {

// What the request fetches that tells the object's size. The rest waits for it.
constexpr std::uint64_t kHead = 1U << 20;

Result<void> PrintUnknown(const Client& client, const ObjectReaderOptions& options, const ObjectName& object,
                          const ByteSink& sink, const ProgressCallback& on_progress) {
  const std::uint64_t first = std::min(kHead, options.range_bytes);
  bool has_begun = false;
  const auto begin = [&](std::span<const std::byte> bytes) {
    has_begun = true;
    return sink(bytes);
  };
  const auto head = client.ReadObject(
      object, begin,
      {.range = ByteRange{0, first}, .generation = options.generation, .call = options.call, .stop = options.stop});
  // It is empty, or the service does not tell what part of it the range is.
  const bool is_whole = !head && !has_begun &&
                        (head.error().code == ErrorCode::kOutOfRange || head.error().code == ErrorCode::kBadResponse);
  if (is_whole) {
    const auto read = client.ReadObject(
        object, sink, {.generation = options.generation, .on_progress = on_progress, .stop = options.stop});
    if (!read) return read.error();
    return {};
  }
  if (!head) return head.error();
  if (on_progress) on_progress({head->bytes, head->object_size});
  if (head->object_size <= first) return {};
  const DownloadSource source{object, head->object_size, head->generation, head->object_crc32c};
  std::uint64_t done = head->bytes;
  const auto told = [&](std::span<const std::byte> bytes) -> Result<void> {
    if (auto taken = sink(bytes); !taken) return taken;
    done += bytes.size();
    if (on_progress) on_progress({done, source.size});
    return {};
  };
  return PrintSource(client, options, source, told, head->bytes, head->crc32c);
}

}  // namespace

Result<void> PrintSource(const Client& client, const ObjectReaderOptions& options, const DownloadSource& source,
                         const ByteSink& sink, std::uint64_t offset, std::uint32_t crc32c) {
  ObjectReaderOptions reading = options;
  reading.reads_whole = true;
  auto reader = ObjectReader::Open(client, source, std::move(reading));
  if (!reader) return reader.error();
  reader->Seek(offset);
  while (reader->position() < source.size) {
    const auto lent = reader->NextView();
    if (!lent) return lent.error();
    crc32c = Crc32cOf(*lent, crc32c);
    if (auto taken = sink(*lent); !taken) return taken;
  }
  return CompareWithObject(client, source, crc32c);
}

ByteSink Into(std::FILE* out, const std::string& name) {
  return [out, name](std::span<const std::byte> data) -> Result<void> {
    if (std::fwrite(data.data(), 1, data.size(), out) == data.size()) return {};
    return internal::LocalError("write", name);
  };
}

Result<void> PrintWithProgress(const Client& client, const ObjectReaderOptions& options, const ObjectName& object,
                               std::FILE* out, const std::string& name) {
  TransferMonitor monitor(TransferMonitor::Summary::kOfOne, ::isatty(::fileno(out)) == 0);
  TransferMonitor::Meter meter(monitor);
  bool is_expected = false;
  const auto watch = [&](const Progress& progress) {
    if (!is_expected) monitor.Expect(1, progress.total);
    is_expected = true;
    meter.Set(progress.bytes);
  };
  if (auto printed = PrintUnknown(client, options, object, Into(out, name), watch); !printed) return printed;
  if (std::fflush(out) != 0) return internal::LocalError("write", name);
  if (!is_expected) monitor.Expect(1, 0);
  monitor.NoteCopied(/*kept_bytes=*/0);
  return monitor.Finish();
}

}  // namespace gcsflux::cli
