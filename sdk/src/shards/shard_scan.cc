#include "shards/shard_scan.h"

#include <algorithm>
#include <tuple>

#include "base/exceptions_as_errors.h"
#include "base/object_name.h"
#include "base/process/start_thread.h"
#include "client/client_core.h"
#include "formats/bytes/format_error.h"
#include "shards/sample_collector.h"
#include "shards/shard_bytes.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kMostScanned = std::uint64_t{32} << 20;
// Shards behind the present one that are read ahead. A second one made nothing faster, and took more memory and CPU.
constexpr std::size_t kShardsAhead = 1;

class Scanner {
 public:
  Scanner(const Client& client, ShardScan::Settings settings, ScannedSamples& into, const std::stop_token& stop)
      : client_(client), settings_(std::move(settings)), into_(into), stop_(stop) {
    // Of the budget, so that what is read leaves room for what was read.
    const std::uint64_t budget = CoreOf(client_).settings().max_undelivered_bytes;
    read_ahead_ = std::max<std::uint64_t>(budget / 2 / (1 + kShardsAhead), 1);
    // What the loop gives back: the page faults of new memory would be half of the cost of a sample.
    blocks_ = std::make_shared<BlockPool>(budget / 4);
  }

  // Returns why it ended early.
  Result<void> Run() {
    for (std::uint64_t epoch = settings_.epoch;; ++epoch) {
      for (std::uint64_t place = epoch == settings_.epoch ? settings_.place : 0;; ++place) {
        const auto shard = settings_.shard_at(epoch, place);
        if (!shard) {
          if (!Push({.epoch = epoch, .shard = place})) return {};
          break;
        }
        if (auto read = Read(epoch, place, *shard); !read) return read;
        if (stop_.stop_requested()) return {};
      }
      if (!settings_.has_epoch(epoch + 1)) return {};
    }
  }

 private:
  bool Push(ScannedItem item) {
    if (!into_.Push(std::move(item), stop_)) return false;
    if (into_.ShouldTell()) settings_.on_growth();
    return true;
  }

  struct Opened {
    std::uint64_t epoch;
    std::uint64_t place;
    std::unique_ptr<ShardBytes> bytes;
  };

  Result<std::unique_ptr<ShardBytes>> Open(std::size_t shard) {
    const ListedObject& listed = (*settings_.shards)[shard];
    return ShardBytes::Open(
        client_, DownloadSource{{settings_.bucket, listed.name}, listed.size, listed.generation, listed.crc32c},
        {.encryption_key = settings_.encryption_key,
         .read_ahead_bytes = read_ahead_,
         .reads_whole = true,
         .call = settings_.call,
         .stop = stop_},
        settings_.cache);
  }

  // The bytes of this place, and begins to read the next ones.
  Result<std::unique_ptr<ShardBytes>> Next(std::uint64_t epoch, std::uint64_t place) {
    if (ahead_.empty() || ahead_.front().epoch != epoch || ahead_.front().place != place) {
      ahead_.clear();
      auto opened = Open(*settings_.shard_at(epoch, place));
      if (!opened) return opened.error();
      ahead_.push_back({epoch, place, *std::move(opened)});
    }
    auto bytes = std::move(ahead_.front().bytes);
    ahead_.pop_front();
    while (ahead_.size() < kShardsAhead) {
      if (!ahead_.empty()) std::tie(epoch, place) = std::pair(ahead_.back().epoch, ahead_.back().place);
      auto shard = settings_.shard_at(epoch, ++place);
      if (!shard && settings_.has_epoch(epoch + 1)) shard = settings_.shard_at(++epoch, place = 0);
      if (!shard) break;
      auto opened = Open(*shard);
      if (!opened) return opened.error();
      (*opened)->Prefetch(read_ahead_);
      ahead_.push_back({epoch, place, *std::move(opened)});
    }
    return bytes;
  }

  Result<void> Read(std::uint64_t epoch, std::uint64_t place, std::size_t shard) {
    auto bytes = Next(epoch, place);
    if (!bytes) return bytes.error();
    const ListedObject& listed = (*settings_.shards)[shard];
    bool is_first = true;
    const auto deliver = [&](HeldSample sample) -> Result<void> {
      if (std::exchange(is_first, false)) {
        auto checked = CheckBegin(shard, sample.listed.name.substr(listed.name.size() + 1));
        if (!checked) return checked;
      }
      if (Push({.epoch = epoch, .shard = place, .sample = std::move(sample)})) return {};
      return Error{ErrorCode::kCancelled, "the loop over the shards has ended"};
    };
    SampleCollector collector(
        {.listed = listed, .uri = ToUri({settings_.bucket, listed.name}), .first_index = shard << 32}, *blocks_,
        deliver);
    while (true) {
      const auto view = (*bytes)->Next();
      if (!view) return view.error();
      if (view->empty()) break;
      if (auto fed = collector.Feed(*view); !fed) return fed;
    }
    if (auto verified = (*bytes)->Finish(); !verified) return verified;
    if (auto finished = collector.Finish(); !finished) return finished;
    return CheckEnd(shard, collector.last_key());
  }

  // Neighbours are those by name, if this scan has read them.
  Result<void> CheckBegin(std::size_t shard, const std::string& first_key) {
    ends_[shard].first = first_key;
    const auto before = shard > 0 ? ends_.find(shard - 1) : ends_.end();
    return before != ends_.end() && before->second.second == first_key ? WasSplit(shard, first_key) : Result<void>();
  }
  Result<void> CheckEnd(std::size_t shard, const std::string& last_key) {
    ends_[shard].second = last_key;
    const auto after = ends_.find(shard + 1);
    return after != ends_.end() && after->second.first == last_key ? WasSplit(shard, last_key) : Result<void>();
  }
  [[nodiscard]] Result<void> WasSplit(std::size_t shard, const std::string& key) const {
    return Error{ErrorCode::kUndecodable, ToUri({settings_.bucket, (*settings_.shards)[shard].name}) + ": the sample " +
                                              Shown(key) + " is in the neighbouring shard too: it was split"};
  }

  const Client client_;
  const ShardScan::Settings settings_;
  ScannedSamples& into_;
  const std::stop_token stop_;
  std::uint64_t read_ahead_ = 0;
  std::shared_ptr<BlockPool> blocks_;
  std::deque<Opened> ahead_ = {};
  std::map<std::size_t, std::pair<std::string, std::string>> ends_ = {};  // First and last keys of shards.
};

}  // namespace

bool ScannedSamples::Push(ScannedItem item, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  if (!room_.wait(lock, stop, [this]() REQUIRES(mutex_) { return bytes_ < kMostScanned; })) return false;
  bytes_ += BytesOf(item);
  items_.push_back(std::move(item));
  return true;
}

void ScannedSamples::End(std::optional<Error> error) {
  const MutexLock lock(mutex_);
  error_ = std::move(error);
}

std::optional<ScannedItem> ScannedSamples::Take(std::uint64_t epoch, std::size_t wanted) {
  const MutexLock lock(mutex_);
  if (items_.empty()) wanted_ = wanted;
  if (items_.empty() || items_.front().epoch != epoch) return std::nullopt;
  std::optional<ScannedItem> item = std::move(items_.front());
  items_.pop_front();
  bytes_ -= BytesOf(*item);
  room_.notify_one();
  return item;
}

std::optional<Error> ScannedSamples::error() const {
  const MutexLock lock(mutex_);
  return items_.empty() ? error_ : std::nullopt;
}

bool ScannedSamples::ShouldTell() {
  const MutexLock lock(mutex_);
  if (wanted_ == 0 || items_.empty()) return false;
  const bool is_enough = items_.size() >= wanted_ || bytes_ >= kMostScanned || !items_.back().sample;
  if (is_enough) wanted_ = 0;
  return is_enough;
}

Result<std::unique_ptr<ShardScan>> ShardScan::Start(const Client& client, Settings settings) {
  auto scan = std::unique_ptr<ShardScan>(new ShardScan());
  auto thread =
      StartThread([client, settings = std::move(settings), into = scan->samples_](const std::stop_token& stop) {
        const auto ran = ExceptionsAsErrors([&] { return Scanner(client, settings, *into, stop).Run(); });
        if (stop.stop_requested()) return;
        into->End(ran ? std::nullopt : std::optional(ran.error()));
        settings.on_growth();
      });
  if (!thread) return thread.error();
  scan->thread_ = *std::move(thread);
  return scan;
}

}  // namespace gcsflux::internal
