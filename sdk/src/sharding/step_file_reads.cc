#include "sharding/step_file_reads.h"

#include <algorithm>
#include <utility>

#include "base/either_stop.h"
#include "checkpoints/step_store.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux::internal {
namespace {

constexpr int kFilesAtOnce = 8;

}  // namespace

Result<void> StepFileReads::Read(std::span<const std::vector<RangeRead>> of_files, Share share,
                                 const WhenRead& when_read, const std::stop_token& stop) {
  std::vector<std::size_t> files;
  for (std::size_t file = 0; file < of_files.size(); ++file) {
    if (!of_files[file].empty()) files.push_back(file);
  }
  const auto first = files.size() * static_cast<std::size_t>(share.rank) / static_cast<std::size_t>(share.ranks);
  std::rotate(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  const auto read = [&](std::size_t index, const std::stop_token& ended) -> Result<void> {
    const std::size_t file = files[index];
    if (auto done = ReadFile(file, of_files[file], ended); !done) return done;
    return when_read(file);
  };
  return RunOnThreads(steps_.client(), files.size(), kFilesAtOnce, read, stop);
}

// Reads all ranges in one call, because connections would idle between two calls.
Result<void> StepFileReads::ReadFile(std::size_t file, std::span<const RangeRead> ranges, const std::stop_token& stop) {
  ObjectReaderOptions options = options_;
  options.tail_bytes = 0;  // These files have no directory at their end.
  const EitherStop either(stop, options_.stop);
  options.stop = either.token();
  auto opened = steps_.OpenFile(step_.files[file], options);
  if (!opened) return opened.error();
  const auto reader = std::make_shared<const ObjectReader>(*std::move(opened));
  {
    const MutexLock lock(mutex_);
    readers_.push_back(reader);
  }
  return reader->Read(ranges);
}

std::uint64_t StepFileReads::FetchedBytes() const {
  const MutexLock lock(mutex_);
  std::uint64_t bytes = 0;
  for (const auto& reader : readers_) bytes += reader->fetched_bytes();
  return bytes;
}

}  // namespace gcsflux::internal
