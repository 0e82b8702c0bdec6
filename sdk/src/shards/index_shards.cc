#include "shards/index_shards.h"

#include <optional>
#include <string>
#include <utility>

#include "base/object_name.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"
#include "shards/find_shards.h"
#include "shards/shard_indexer.h"
#include "shards/shard_job.h"

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

ShardReport ReportOf(const ShardIndex& index, bool is_kept) {
  return {.shards = is_kept ? 0U : 1U,
          .kept = is_kept ? 1U : 0U,
          .samples = index.samples.size(),
          .members = index.members.size(),
          .bytes = index.size};
}

Result<ShardReport> IndexOne(const Client& client, const std::string& bucket, const FoundShard& found,
                             const ShardOptions& options, ShardJob& job) {
  const auto present = options.replaces_indexes ? std::nullopt : PresentIndex(client, bucket, found, options);
  if (present) {
    job.Pass(found.shard.size);
    return ReportOf(*present, /*is_kept=*/true);
  }
  const auto made = ReadIndexOf(client, bucket, found.shard, options, [&](std::uint64_t bytes) { job.Pass(bytes); });
  if (!made) return made.error();
  if (!options.is_dry_run) {
    if (auto stored = StoreIndex(client, {bucket, found.shard.name}, *made, options); !stored) return stored.error();
  }
  return ReportOf(*made, /*is_kept=*/false);
}

}  // namespace
}  // namespace internal

Result<ShardReport> IndexShards(const Client& client, const ObjectName& shards, const ShardOptions& options) {
  const auto found = internal::FindShards(client, shards, {.call = options.call, .stop = options.stop});
  if (!found) return found.error();
  std::uint64_t bytes = 0;
  for (const internal::FoundShard& shard : *found) bytes += shard.shard.size;
  internal::ShardJob job(client, options);
  return job.Run(found->size(), bytes, [&](std::size_t i, const std::stop_token& stop) {
    ShardOptions of_one = options;
    of_one.stop = stop;
    return internal::IndexOne(client, shards.bucket, (*found)[i], of_one, job);
  });
}

}  // namespace gcsflux
