#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux {

struct DownloaderOptions {
  /// Requests in flight at most, over all callers. Raise it until the network is full; each holds a thread and a
  /// connection.
  int max_concurrency = 16;
  CallOptions call = {};  ///< Of each read.
};

/// Whole objects in one block of memory. Views stay valid for the life of the batch, moves included.
class ObjectBatch {
 public:
  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  [[nodiscard]] std::span<const std::byte> operator[](std::size_t index) const { return objects_[index]; }

 private:
  friend class Downloader;
  std::unique_ptr<std::byte[]> block_;
  std::vector<std::span<std::byte>> objects_;
};

/// Downloads many objects at once over threads of its own. Thread-safe: concurrent callers share the threads.
class Downloader {
 public:
  explicit Downloader(Client client, const DownloaderOptions& options = {});
  ~Downloader();  ///< Waits for calls in progress.
  Downloader(const Downloader&) = delete;
  Downloader& operator=(const Downloader&) = delete;

  /// Fetches the objects as they were listed (bucket, name, generation and size are used), in the order asked.
  ///
  /// All or nothing: the first failure ends the others and is returned with its object's name. An object that was
  /// overwritten since it was listed is kNotFound, unless the bucket keeps old generations.
  Result<ObjectBatch> Download(std::span<const ObjectMetadata> objects, std::stop_token stop = {}) const;

 private:
  class Pool;
  Client client_;
  CallOptions call_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace gcsflux
