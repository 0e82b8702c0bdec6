#include "cli/terminal/print_object.h"

#include <algorithm>

#include "gcsflux/download.h"

namespace gcsflux::cli {
namespace {

// What the request fetches that tells the object's size. The rest waits for it.
constexpr std::uint64_t kHead = 1U << 20;

}  // namespace

Result<void> ObjectPrinter::Print(const ObjectName& object, const ByteSink& sink,
                                  const ProgressCallback& on_progress) const {
  const std::uint64_t first = std::min(kHead, options_.stripe_bytes);
  bool has_begun = false;
  const auto begin = [&](std::span<const std::byte> bytes) {
    has_begun = true;
    return sink(bytes);
  };
  const auto head =
      client_.ReadObject(object, begin, {.range = ByteRange{0, first}, .call = options_.call, .stop = options_.stop});
  // It is empty, or the service does not tell what part of it the range is.
  const bool is_whole = !head && !has_begun &&
                        (head.error().code == ErrorCode::kOutOfRange || head.error().code == ErrorCode::kBadResponse);
  if (is_whole) {
    const auto read = client_.ReadObject(object, sink, {.on_progress = on_progress, .stop = options_.stop});
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
  return PrintRest(source, head->bytes, head->crc32c, told);
}

Result<void> ObjectPrinter::Print(const DownloadSource& source, const ByteSink& sink) const {
  return PrintRest(source, 0, 0, sink);
}

Result<void> ObjectPrinter::PrintRest(const DownloadSource& source, std::uint64_t offset, std::uint32_t crc32c,
                                      const ByteSink& sink) const {
  ObjectReaderOptions options = options_;
  options.reads_whole = true;
  auto reader = ObjectReader::Open(client_, source, std::move(options));
  if (!reader) return reader.error();
  reader->Seek(offset);
  while (reader->position() < source.size) {
    const auto lent = reader->NextView();
    if (!lent) return lent.error();
    crc32c = Crc32cOf(*lent, crc32c);
    if (auto taken = sink(*lent); !taken) return taken;
  }
  return CompareWithObject(client_, source, crc32c);
}

}  // namespace gcsflux::cli
