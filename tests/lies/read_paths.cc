#include <cstring>
#include <fstream>
#include <sstream>

#include "base/crc32c.h"
#include "gcsflux/download.h"
#include "gcsflux/download_file.h"
#include "lies/paths.h"
#include "support/test_directory.h"

namespace gcsflux::testing {
namespace {

constexpr std::uint64_t kStripe = 100;

std::string_view Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

DownloadSource Unlisted() { return {kObject, Content().size(), LyingService::kGeneration, {}}; }
DownloadSource Listed() {
  DownloadSource source = Unlisted();
  source.crc32c = internal::ExtendCrc32c(0, AsBytes(Content()));
  return source;
}

Outcome IntoBuffer(const Client& client, const ReadObjectOptions& options) {
  const std::string wanted =
      options.range ? Content().substr(options.range->offset, *options.range->length) : Content();
  std::string buffer(wanted.size() + 20, '\0');  // A false size must be detected otherwise.
  const auto read = client.ReadObject(kObject, std::as_writable_bytes(std::span(buffer)), options);
  if (!read) return {read.error()};
  return {read->bytes == wanted.size() && buffer.starts_with(wanted) ? Result<void>() : CheckContent(""),
          read->is_verified};
}

Outcome IntoSink(const Client& client, const ReadObjectOptions& options) {
  std::string came;
  const ByteSink sink = [&](std::span<const std::byte> data) -> Result<void> {
    came += Text(data);
    return {};
  };
  const auto read = client.ReadObject(kObject, sink, options);
  if (!read) return {read.error()};
  return {CheckContent(came), read->is_verified};
}

Outcome IntoString(const Client& client, const ReadObjectOptions& options) {
  const auto read = client.ReadObject(kObject, options);
  return {read ? CheckContent(*read) : read.error()};
}

// Stripes follow each other, so that it is known which one fails first.
DownloaderOptions Striped() { return {.max_concurrency = 1, .range_bytes = kStripe}; }

Outcome Batch(const Client& client, const DownloadSource& source, const DownloaderOptions& options = {}) {
  const Downloader downloader(client, options);
  const std::vector<DownloadSource> sources(options.composition == CompositionMode::kOff ? 1 : 2, source);
  const auto batch = downloader.Download(sources);
  if (!batch) return {batch.error()};
  return {CheckContent(Text((*batch)[sources.size() - 1].bytes))};
}

Outcome Stream(const Client& client, const DownloadSource& source, const DownloaderOptions& options = {}) {
  const Downloader downloader(client, options);
  auto stream = downloader.Stream({source});
  const auto next = stream.Next();
  if (!next) return {next.error()};
  return {CheckContent(Text((*next)->bytes))};
}

// After every failure there is no file.
Outcome File(const std::function<Result<ReadSummary>(const std::string& path)>& download) {
  const TestDirectory directory;
  const std::string path = directory.path() / "file";
  const auto downloaded = download(path);
  std::ifstream file(path, std::ios::binary);
  if (!downloaded) return {file ? CheckContent("") : downloaded.error()};
  std::stringstream bytes;
  bytes << file.rdbuf();
  return {CheckContent(bytes.str())};
}

Path ListedFile(const char* name, Column column, const DownloadSource& source, std::uint64_t range_bytes) {
  return {name, column, [=](const Client& client, const LyingService&) {
            return File([&](const std::string& path) {
              return DownloadListed(client, source, path, {.range_bytes = range_bytes, .max_concurrency = 1});
            });
          }};
}

Path Read(const char* name, Column column, Outcome (*read)(const Client&, const ReadObjectOptions&),
          const ReadObjectOptions& options) {
  return {name, column, [=](const Client& client, const LyingService&) { return read(client, options); }};
}

Path Download(const char* name, Column column,
              Outcome (*fetch)(const Client&, const DownloadSource&, const DownloaderOptions&),
              const DownloadSource& source, const DownloaderOptions& options) {
  return {name, column, [=](const Client& client, const LyingService&) { return fetch(client, source, options); }};
}

}  // namespace

std::vector<Path> ReadPaths() {
  const ReadObjectOptions pinned{.generation = LyingService::kGeneration};
  const ReadObjectOptions conditional{.preconditions = {.if_generation_match = LyingService::kGeneration}};
  const ReadObjectOptions range{.range = ByteRange{10, 50}};
  ReadObjectOptions pinned_range = range;
  pinned_range.generation = LyingService::kGeneration;
  const DownloaderOptions composing{.composition = CompositionMode::kOn};
  return {
      Read("ReadIntoBuffer", Column::kWhole, IntoBuffer, {}),
      Read("ReadIntoSink", Column::kWhole, IntoSink, {}),
      Read("ReadIntoString", Column::kWhole, IntoString, {}),
      Read("ReadToDecompress", Column::kWhole, IntoSink, {.decompress_gzip = true}),
      Read("ReadTheRangeOfAll", Column::kPinnedRange, IntoBuffer, pinned_range),
      Read("ReadGenerationIntoBuffer", Column::kPinned, IntoBuffer, pinned),
      Read("ReadGenerationIntoSink", Column::kPinned, IntoSink, pinned),
      Read("ReadGenerationIntoString", Column::kPinned, IntoString, pinned),
      Read("ReadUnderACondition", Column::kPinned, IntoBuffer, conditional),
      Read("ReadRange", Column::kRange, IntoBuffer, range),
      Download("BatchUnlisted", Column::kPinned, Batch, Unlisted(), {}),
      Download("BatchListed", Column::kListed, Batch, Listed(), {}),
      Download("BatchStripes", Column::kStripes, Batch, Unlisted(), Striped()),
      Download("BatchListedStripes", Column::kListedStripes, Batch, Listed(), Striped()),
      Download("BatchComposed", Column::kComposed, Batch, Listed(), composing),
      Download("StreamUnlisted", Column::kPinned, Stream, Unlisted(), {}),
      Download("StreamListed", Column::kListed, Stream, Listed(), {}),
      Download("StreamStripes", Column::kStripes, Stream, Unlisted(), Striped()),
      Download("StreamListedStripes", Column::kListedStripes, Stream, Listed(), Striped()),
      ListedFile("SmallFileListed", Column::kSmallFile, Listed(), 16U << 20),
      ListedFile("FileListed", Column::kFile, Listed(), kStripe),
      ListedFile("FileUnlisted", Column::kUnlistedFile, Unlisted(), kStripe),
      {"File", Column::kLookedUp,
       [](const Client& client, const LyingService&) {
         return File([&](const std::string& path) { return DownloadFile(client, kObject, path); });
       }},
  };
}

}  // namespace gcsflux::testing
