#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "gcsflux/download.h"
#include "transfer/worker_pool.h"

namespace gcsflux {
namespace {

// Reads one listed object whole into its place.
Result<void> Fetch(const Client& client, const CallOptions& call, const ObjectMetadata& object,
                   std::span<std::byte> place, const std::stop_token& stop) {
  const ObjectName name{object.bucket, object.name};
  const auto read = client.ReadObject(name, place, {.generation = object.generation, .call = call, .stop = stop});
  if (!read) return read.error();
  if (read->bytes == place.size()) return {};
  return Error{ErrorCode::kCorrupted, "objects.get " + ToUri(name) + ": " + std::to_string(read->bytes) +
                                          " bytes came of an object that was listed with " +
                                          std::to_string(place.size())};
}

}  // namespace

class Downloader::Pool : public internal::WorkerPool {
  using WorkerPool::WorkerPool;
};

Downloader::Downloader(Client client, const DownloaderOptions& options)
    : client_(std::move(client)),
      call_(options.call),
      pool_(std::make_unique<Pool>(static_cast<std::size_t>(std::max(1, options.max_concurrency)))) {}

Downloader::~Downloader() = default;

Result<ObjectBatch> Downloader::Download(std::span<const ObjectMetadata> objects, std::stop_token stop) const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::ptrdiff_t>::max();
  std::uint64_t total = 0;  // Of sizes that somebody else says: it stays at the most, where no memory is to be had.
  for (const ObjectMetadata& object : objects) total += std::min(object.size, kMost - total);
  ObjectBatch batch;
  batch.block_.reset(total < kMost ? new (std::nothrow) std::byte[total] : nullptr);
  if (!batch.block_) {
    return Error{ErrorCode::kInvalidArgument, "no memory for a batch of " + std::to_string(objects.size()) +
                                                  " objects of " + std::to_string(total) + " bytes: ask for fewer"};
  }
  batch.objects_.reserve(objects.size());
  std::byte* next = batch.block_.get();
  for (const ObjectMetadata& object : objects) {
    batch.objects_.emplace_back(next, object.size);
    next += object.size;
  }
  const auto fetch = [&](std::size_t index, const std::stop_token& batch_stop) {
    return Fetch(client_, call_, objects[index], batch.objects_[index], batch_stop);
  };
  if (auto done = pool_->Run(objects.size(), fetch, stop); !done) return done.error();
  return batch;
}

}  // namespace gcsflux
