#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/object_name.h"
#include "formats/bytes/format_error.h"
#include "formats/tar/tar_parser.h"
#include "gcsflux/download.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"
#include "shards/find_shards.h"
#include "shards/index_shards.h"
#include "shards/pack_plan.h"
#include "shards/shard_indexer.h"
#include "shards/shard_job.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux {
namespace internal {
namespace {

// Objects that are held in memory together. A larger one passes through.
constexpr std::uint64_t kHeldBytes = std::uint64_t{16} << 20;
constexpr std::size_t kHeldObjects = 1024;
constexpr int kReadsAtOnce = 32;
constexpr std::size_t kPartBytes = 16 << 20;

// One shard under way: what is written is indexed at the same time.
class ShardWriter {
 public:
  ShardWriter(const Client& client, const ObjectName& name, std::uint64_t bytes, UploadOptions options)
      : writer_(client, name, std::move(options)), indexer_(ToUri(name), 0, bytes) {}

  Result<void> Write(std::span<const std::byte> bytes) {
    if (auto fed = indexer_.Feed(bytes); !fed) return fed;
    return writer_.Write(bytes);
  }
  Result<void> Write(std::string_view text) { return Write(std::as_bytes(std::span(text))); }
  Result<void> WriteZeros(std::uint64_t count) { return Write(std::string(static_cast<std::size_t>(count), '\0')); }

  /// The index of what was written, without a generation. Call it once, before Commit().
  Result<ShardIndex> Index() { return indexer_.Finish(); }
  /// Makes the shard visible.
  Result<ObjectMetadata> Commit() { return writer_.Close(); }

 private:
  ObjectWriter writer_;
  ShardIndexer indexer_;
};

class Packing {
 public:
  Packing(const Client& client, ObjectName from, ObjectName to, const ShardOptions& options)
      : client_(client), from_(std::move(from)), to_(std::move(to)), options_(options) {}

  Result<ShardReport> Run() {
    if (auto prepared = Prepare(); !prepared) return prepared.error();
    std::uint64_t bytes = 0;
    for (const PlannedShard& shard : plan_) bytes += shard.bytes;
    return job_.Run(plan_.size(), bytes,
                    [this](std::size_t i, const std::stop_token& stop) { return PackOne(plan_[i], stop); });
  }

 private:
  Result<void> Prepare() {
    if (to_.bucket == from_.bucket && to_.name.starts_with(from_.name)) {
      return Error{ErrorCode::kInvalidArgument, ToUri(to_) + ": shards under the prefix that is packed, " +
                                                    ToUri(from_) + ", would be packed too by the next call"};
    }
    auto listing = ListInParallel(client_, from_,
                                  {.include_directory_markers = false, .call = options_.call, .stop = options_.stop});
    if (!listing) return listing.error();
    objects_ = std::move(listing->objects);
    auto plan = PlanShards(objects_, from_.name, to_.name, options_);
    if (!plan) return plan.error();
    if (plan->empty()) return Error{ErrorCode::kEmptyPrefix, ToUri(from_) + ": there are no objects to pack"};
    plan_ = *std::move(plan);
    return FindPresent();
  }

  // What is there of an earlier call. Shards that it would not overwrite would be read with the new ones.
  Result<void> FindPresent() {
    const auto listing = ListInParallel(client_, {to_.bucket, to_.name.substr(0, to_.name.find('%'))},
                                        {.call = options_.call, .stop = options_.stop});
    if (!listing) return listing.error();
    std::set<std::string, std::less<>> names;
    for (const PlannedShard& shard : plan_) names.insert(shard.name);
    for (const ListedObject& object : listing->objects) {
      present_.emplace(object.name, object);
      if (!object.name.ends_with(".tar") || names.contains(object.name)) continue;
      return Error{ErrorCode::kAlreadyExists, ToUri({to_.bucket, object.name}) +
                                                  ": a shard of this name is there, and would be read with the new "
                                                  "ones; delete it, or pack under another name"};
    }
    return {};
  }

  [[nodiscard]] bool IsPacked(const PlannedShard& shard) const {
    const auto stored = present_.find(shard.name);
    const auto index = present_.find(shard.name + std::string(kIndexEnding));
    if (stored == present_.end() || index == present_.end()) return false;
    const auto found = PresentIndex(client_, to_.bucket, {stored->second, index->second}, options_);
    return found && HasMembers(*found, shard, objects_, from_.name);
  }

  Result<ShardReport> PackOne(const PlannedShard& shard, const std::stop_token& stop) {
    const bool is_kept = IsPacked(shard);
    if (is_kept || options_.is_dry_run) {
      job_.Pass(shard.bytes);
    } else if (auto written = WriteShard(shard, stop); !written) {
      return written.error();
    }
    return ShardReport{.shards = is_kept ? 0U : 1U,
                       .kept = is_kept ? 1U : 0U,
                       .samples = shard.samples,
                       .members = shard.objects.size(),
                       .bytes = shard.bytes};
  }

  Result<void> WriteShard(const PlannedShard& shard, const std::stop_token& stop) {
    const int shards = std::max(1, options_.max_shards);
    ShardWriter writer(client_, {to_.bucket, shard.name}, shard.bytes,
                       {.attributes = {.content_type = "application/x-tar"},
                        .call = options_.call,
                        .stop = stop,
                        .part_bytes = kPartBytes,
                        .part_memory_bytes = options_.part_memory_bytes / static_cast<unsigned>(shards)});
    for (std::size_t at = 0; at < shard.objects.size();) {
      const auto written = WriteNext(writer, std::span(shard.objects).subspan(at), stop);
      if (!written) return written.error();
      at += *written;
    }
    if (auto ended = writer.WriteZeros(2 * kTarBlock); !ended) return ended;
    job_.Pass(2 * kTarBlock);
    auto index = writer.Index();
    if (!index) return index.error();
    if (auto same = CheckMembers(*index, shard); !same) return same;
    const auto stored = writer.Commit();
    if (!stored) return stored.error();
    index->generation = stored->generation;
    return StoreIndex(client_, {to_.bucket, shard.name}, *index, options_);
  }

  // Writes some objects, and returns their number.
  Result<std::size_t> WriteNext(ShardWriter& writer, std::span<const std::size_t> objects,
                                const std::stop_token& stop) {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    while (count < std::min(objects.size(), kHeldObjects) && bytes + objects_[objects[count]].size <= kHeldBytes) {
      bytes += objects_[objects[count++]].size;
    }
    auto written =
        count > 0 ? WriteHeld(writer, objects.first(count), stop) : WriteLarge(writer, objects_[objects.front()], stop);
    if (!written) return written.error();
    return std::max<std::size_t>(count, 1);
  }

  Result<void> WriteHeld(ShardWriter& writer, std::span<const std::size_t> objects, const std::stop_token& stop) {
    std::vector<ListedObject> listed;
    for (const std::size_t object : objects) listed.push_back(objects_[object]);
    const auto downloaded = downloader_.Download(DownloadSources(from_.bucket, listed), stop);
    if (!downloaded) return downloaded.error();
    for (const DownloadedObject& object : *downloaded) {
      if (auto written = WriteMember(writer, listed[object.index], [&] { return writer.Write(object.bytes); });
          !written)
        return written;
    }
    return {};
  }

  Result<void> WriteLarge(ShardWriter& writer, const ListedObject& object, const std::stop_token& stop) {
    return WriteMember(writer, object, [&]() -> Result<void> {
      auto reader = ObjectReader::Open(client_, DownloadSources(from_.bucket, std::span(&object, 1)).front(),
                                       {.read_ahead_bytes = kHeldBytes, .call = options_.call, .stop = stop});
      if (!reader) return reader.error();
      while (true) {
        const auto view = reader->NextView();
        if (!view) return view.error();
        if (view->empty()) return reader->VerifyWhole();
        if (auto written = writer.Write(*view); !written) return written;
      }
    });
  }

  template <class WriteBytes>
  Result<void> WriteMember(ShardWriter& writer, const ListedObject& object, const WriteBytes& write) {
    const std::string header = HeaderOf(object, from_.name);
    if (auto written = writer.Write(header); !written) return written;
    if (auto written = write(); !written) return written;
    const std::uint64_t padded = TarPadded(object.size);
    job_.Pass(header.size() + padded);
    return padded > object.size ? writer.WriteZeros(padded - object.size) : Result<void>();
  }

  // What was written, with what the listing says.
  [[nodiscard]] Result<void> CheckMembers(const ShardIndex& index, const PlannedShard& shard) const {
    for (std::size_t i = 0; i < shard.objects.size(); ++i) {
      const ListedObject& object = objects_[shard.objects[i]];
      const bool is_there = i < index.members.size();
      if (is_there && (!object.crc32c || *object.crc32c == index.members[i].crc32c)) continue;
      return Error{ErrorCode::kCorrupted, ToUri({to_.bucket, shard.name}) + ": the bytes of member " +
                                              Shown(MemberNameOf(object, from_.name)) + " are not those of its object"};
    }
    return {};
  }

  const Client& client_;
  const ObjectName from_;
  const ObjectName to_;
  const ShardOptions& options_;
  const Downloader downloader_{client_, {.max_concurrency = kReadsAtOnce, .call = options_.call}};
  std::vector<ListedObject> objects_ = {};
  std::vector<PlannedShard> plan_ = {};
  std::map<std::string, ListedObject, std::less<>> present_ = {};
  ShardJob job_{client_, options_};
};

}  // namespace
}  // namespace internal

Result<ShardReport> PackShards(const Client& client, const ObjectName& from, const ObjectName& to,
                               const ShardOptions& options) {
  return internal::Packing(client, from, to, options).Run();
}

}  // namespace gcsflux
