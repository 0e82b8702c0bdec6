#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "base/process/mutex.h"
#include "checkpoints/step_store.h"

namespace gcsflux::internal {

/// Reads ranges of a step's files, several files at the same time. Borrows all.
class StepFileReads {
 public:
  StepFileReads(StepStore& steps, const ObjectReaderOptions& options, const CheckpointManifest& step)
      : steps_(steps), options_(options), step_(step) {}

  /// Reads these ranges of each of the step's files, and leaves out files without ranges. Each of `ranks` begins at
  /// another file. Calls `when_read` with the index of each file that was read, on any thread.
  struct Share {
    int rank = 0;
    int ranks = 1;
  };
  using WhenRead = std::function<Result<void>(std::size_t file)>;
  Result<void> Read(std::span<const std::vector<RangeRead>> of_files, Share share, const WhenRead& when_read,
                    const std::stop_token& stop);

  /// The bytes fetched so far. Thread-safe.
  [[nodiscard]] std::uint64_t FetchedBytes() const;

 private:
  Result<void> ReadFile(std::size_t file, std::span<const RangeRead> ranges, const std::stop_token& stop);

  StepStore& steps_;
  const ObjectReaderOptions& options_;
  const CheckpointManifest& step_;
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<const ObjectReader>> readers_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
