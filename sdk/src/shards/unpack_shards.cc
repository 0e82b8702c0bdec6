#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/object_name.h"
#include "formats/bytes/format_error.h"
#include "formats/tar/tar_parser.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"
#include "shards/find_shards.h"
#include "shards/index_shards.h"
#include "shards/sample_keys.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux {
namespace internal {
namespace {

// Members that are held in memory and stored together. A larger one passes through.
constexpr std::uint64_t kMostHeld = std::uint64_t{8} << 20;
constexpr std::size_t kMostMembers = 256;
constexpr std::uint64_t kUnpackedAhead = std::uint64_t{8} << 20;
constexpr int kWritesAtOnce = 32;

// Stores the members of one shard whose bytes pass once.
class MemberWriter : private TarSink {
 public:
  MemberWriter(const Client& client, const ListedObject& shard, std::string uri, ObjectName to,
               const ShardOptions& options)
      : client_(client),
        to_(std::move(to)),
        options_(options),
        keys_(uri),
        parser_({.archive = std::move(uri), .end = shard.size}, *this) {}

  Result<void> Feed(std::span<const std::byte> bytes) { return parser_.Feed(bytes); }
  Result<void> Finish() {
    if (auto ended = parser_.Finish(); !ended) return ended;
    return StoreHeld();
  }
  [[nodiscard]] std::uint64_t members() const { return members_; }
  [[nodiscard]] std::uint64_t samples() const { return samples_; }

 private:
  struct Held {
    ObjectName name;
    std::string content;
  };

  Result<void> OnMember(const TarMember& member) override {
    const auto placed = keys_.Add(member);
    if (!placed) return placed.error();
    samples_ += *placed && (*placed)->begins_sample ? 1 : 0;
    ++members_;
    std::string_view name = member.name;
    while (name.starts_with("./")) name.remove_prefix(2);
    ObjectName object{to_.bucket, to_.name + std::string(name)};
    if (auto checked = CheckObject(object); !checked) return checked;
    if (options_.is_dry_run) return {};
    if (member.size > kMostHeld) {
      large_.emplace(
          client_, std::move(object),
          UploadOptions{.call = options_.call, .stop = options_.stop, .part_memory_bytes = options_.part_memory_bytes});
      return {};
    }
    if (held_bytes_ + member.size > kMostHeld || held_.size() == kMostMembers) {
      if (auto stored = StoreHeld(); !stored) return stored;
    }
    held_bytes_ += member.size;
    held_.push_back({std::move(object), {}});
    held_.back().content.reserve(static_cast<std::size_t>(member.size));
    return {};
  }
  Result<void> OnBytes(std::span<const std::byte> bytes) override {
    if (options_.is_dry_run) return {};
    if (large_) return large_->Write(bytes);
    held_.back().content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  }
  Result<void> OnMemberEnd() override {
    if (!large_) return {};
    auto stored = large_->Close();
    large_.reset();
    if (!stored) return stored.error();
    return {};
  }

  Result<void> StoreHeld() {
    const auto store = [this](std::size_t i, const std::stop_token& stop) -> Result<void> {
      auto stored = UploadObject(client_, held_[i].name, std::as_bytes(std::span(held_[i].content)),
                                 {.call = options_.call, .stop = stop});
      if (!stored) return stored.error();
      return {};
    };
    auto stored = RunOnThreads(client_, held_.size(), kWritesAtOnce, store, options_.stop);
    held_.clear();
    held_bytes_ = 0;
    return stored;
  }

  const Client& client_;
  const ObjectName to_;
  const ShardOptions& options_;
  SampleKeys keys_;
  TarParser parser_;
  std::vector<Held> held_ = {};
  std::uint64_t held_bytes_ = 0;
  std::optional<ObjectWriter> large_ = {};
  std::uint64_t members_ = 0;
  std::uint64_t samples_ = 0;
};

Result<void> Unpack(const Client& client, const std::string& bucket, const ListedObject& shard, MemberWriter& writer,
                    const ShardOptions& options) {
  auto reader = ObjectReader::Open(client, DownloadSources(bucket, std::span(&shard, 1)).front(),
                                   {.read_ahead_bytes = kUnpackedAhead, .call = options.call, .stop = options.stop});
  if (!reader) return reader.error();
  while (true) {
    const auto view = reader->NextView();
    if (!view) return view.error();
    if (view->empty()) break;
    if (auto fed = writer.Feed(*view); !fed) return fed;
    if (options.on_progress) options.on_progress({reader->position(), reader->size()});
  }
  if (auto verified = reader->VerifyWhole(); !verified) return verified;
  return writer.Finish();
}

}  // namespace
}  // namespace internal

Result<ShardReport> UnpackShards(const Client& client, const ObjectName& shards, const ObjectName& to,
                                 const ShardOptions& options) {
  const auto found = internal::FindShards(client, shards, {.call = options.call, .stop = options.stop});
  if (!found) return found.error();
  ShardReport report;
  for (const internal::FoundShard& shard : *found) {
    internal::MemberWriter writer(client, shard.shard, ToUri({shards.bucket, shard.shard.name}), to, options);
    if (auto unpacked = internal::Unpack(client, shards.bucket, shard.shard, writer, options); !unpacked)
      return unpacked.error();
    ++report.shards;
    report.samples += writer.samples();
    report.members += writer.members();
    report.bytes += shard.shard.size;
  }
  return report;
}

Result<ShardReport> ListShards(const Client& client, const ObjectName& shards,
                               const std::function<void(const ListedObject& member)>& visit,
                               const ShardOptions& options) {
  const auto found = internal::FindShards(client, shards, {.call = options.call, .stop = options.stop});
  if (!found) return found.error();
  ShardReport report;
  for (const internal::FoundShard& shard : *found) {
    auto index = internal::PresentIndex(client, shards.bucket, shard, options);
    if (!index) {
      auto read = internal::ReadIndexOf(client, shards.bucket, shard.shard, options, [](std::uint64_t) {});
      if (!read) return read.error();
      index = *std::move(read);
    }
    ListedObject entry = shard.shard;
    for (const auto& member : index->members) {
      entry.name = shard.shard.name + "/" + member.name;
      entry.size = member.size;
      entry.crc32c = member.crc32c;
      visit(entry);
    }
    ++report.shards;
    report.samples += index->samples.size();
    report.members += index->members.size();
    report.bytes += shard.shard.size;
  }
  return report;
}

}  // namespace gcsflux
