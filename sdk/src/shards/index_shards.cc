#include "shards/index_shards.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "base/object_name.h"
#include "base/process/mutex.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"
#include "shards/find_shards.h"
#include "shards/shard_indexer.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux {
namespace internal {
namespace {

// For each shard that is read.
constexpr std::uint64_t kReadAhead = std::uint64_t{16} << 20;

}  // namespace

Result<void> StoreIndex(const Client& client, const ObjectName& shard, const ShardIndex& index,
                        const ShardOptions& options) {
  const std::string bytes = EncodeShardIndex(index);
  const auto stored = UploadObject(client, {shard.bucket, shard.name + std::string(kIndexEnding)},
                                   std::as_bytes(std::span(bytes)), {.call = options.call, .stop = options.stop});
  if (!stored) return stored.error();
  return {};
}

std::optional<ShardIndex> PresentIndex(const Client& client, const std::string& bucket, const FoundShard& found,
                                       const ShardOptions& options) {
  if (!found.index) return std::nullopt;
  auto loaded = LoadIndexes(client, bucket, {found}, {.call = options.call});
  if (!loaded) return std::nullopt;
  return std::move(loaded->front());
}

Result<ShardIndex> ReadIndexOf(const Client& client, const std::string& bucket, const ListedObject& shard,
                               const ShardOptions& options, const std::function<void(std::uint64_t bytes)>& on_bytes) {
  const DownloadSource source = DownloadSources(bucket, std::span(&shard, 1)).front();
  auto reader = ObjectReader::Open(
      client, source,
      {.read_ahead_bytes = kReadAhead, .reads_whole = true, .call = options.call, .stop = options.stop});
  if (!reader) return reader.error();
  ShardIndexer indexer(ToUri(source.object), source.generation, source.size);
  while (true) {
    const auto view = reader->NextView();
    if (!view) return view.error();
    if (view->empty()) break;
    if (auto fed = indexer.Feed(*view); !fed) return fed.error();
    on_bytes(view->size());
  }
  if (auto verified = reader->VerifyWhole(); !verified) return verified.error();
  return indexer.Finish();
}

namespace {

class Indexing {
 public:
  Indexing(const Client& client, std::string bucket, const std::vector<FoundShard>& found, const ShardOptions& options)
      : client_(client), bucket_(std::move(bucket)), found_(found), options_(options) {
    for (const FoundShard& shard : found) total_ += shard.shard.size;
  }

  Result<ShardReport> Run() {
    const auto one = [this](std::size_t i, const std::stop_token& stop) { return IndexOne(found_[i], stop); };
    if (auto ran = RunOnThreads(client_, found_.size(), options_.max_shards, one, options_.stop); !ran)
      return ran.error();
    const MutexLock lock(mutex_);
    return report_;
  }

 private:
  Result<void> IndexOne(const FoundShard& found, const std::stop_token& stop) {
    const auto present = options_.replaces_indexes ? std::nullopt : PresentIndex(client_, bucket_, found, options_);
    if (present) {
      Pass(found.shard.size);
      return Note(*present, /*is_kept=*/true);
    }
    ShardOptions options = options_;
    options.stop = stop;
    const auto made = ReadIndexOf(client_, bucket_, found.shard, options, [this](std::uint64_t bytes) { Pass(bytes); });
    if (!made) return made.error();
    if (auto stored = StoreIndex(client_, {bucket_, found.shard.name}, *made, options); !stored) return stored;
    return Note(*made, /*is_kept=*/false);
  }

  void Pass(std::uint64_t bytes) {
    const std::uint64_t done = passed_ += bytes;
    if (options_.on_progress) options_.on_progress({done, total_});
  }

  Result<void> Note(const ShardIndex& index, bool is_kept) {
    const MutexLock lock(mutex_);
    ++(is_kept ? report_.kept : report_.shards);
    report_.samples += index.samples.size();
    report_.members += index.members.size();
    report_.bytes += index.size;
    return {};
  }

  const Client& client_;
  const std::string bucket_;
  const std::vector<FoundShard>& found_;
  const ShardOptions& options_;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> passed_ = 0;
  Mutex mutex_;
  ShardReport report_ GUARDED_BY(mutex_);
};

}  // namespace
}  // namespace internal

Result<ShardReport> IndexShards(const Client& client, const ObjectName& shards, const ShardOptions& options) {
  const auto found = internal::FindShards(client, shards, {.call = options.call, .stop = options.stop});
  if (!found) return found.error();
  return internal::Indexing(client, shards.bucket, *found, options).Run();
}

}  // namespace gcsflux
