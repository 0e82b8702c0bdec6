#include "transfer/downloader/fetch_ahead.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "client/client_core.h"
#include "loop/user_code_threads.h"
#include "transfer/download/allocate.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kAllThatCome = std::numeric_limits<std::size_t>::max();

// Groups that are fetched together are admitted together. There must be one for each connection, and room for those
// that have arrived and wait for the consumer. Otherwise connections are idle while the consumer is busy.
std::uint64_t MostPerGroup(const DownloaderCore& core) {
  const std::uint64_t under_way = CoreOf(core.client()).settings().max_undelivered_bytes / 4 * 3;
  return under_way / std::max<std::size_t>(1, core.slots()->limit());
}

// Memory that the consumer has released and that will soon be used again.
std::uint64_t MostUnused(const DownloaderCore& core) {
  return CoreOf(core.client()).settings().max_undelivered_bytes / 8;
}

std::uint64_t ChargeOf(const DownloadSource& source) {
  // For the structures of an object, so that the number of empty objects is limited too.
  constexpr std::uint64_t kBookkeeping = 1024;
  return source.size + std::min(kBookkeeping, ~source.size);
}

}  // namespace

FetchAhead::FetchAhead(std::shared_ptr<const DownloaderCore> core, std::unique_ptr<SourceWindow> sources,
                       OnArrival on_arrival, OnEnd on_end, IsNeeded is_needed, const MakeMethod& make_method)
    : core_(std::move(core)),
      sources_(std::move(sources)),
      on_arrival_(std::move(on_arrival)),
      on_end_(std::move(on_end)),
      is_needed_(std::move(is_needed)),
      budget_(CoreOf(core_->client()).delivery_budget()),
      blocks_(std::make_shared<BlockPool>(MostUnused(*core_))),
      run_(std::make_shared<DownloadRun>(
          core_->slots(), make_method ? make_method(*sources_) : core_->MethodFor(*sources_, MostPerGroup(*core_)),
          kAllThatCome, *this)) {}

FetchAhead::~FetchAhead() { Close(); }

Result<void> FetchAhead::Begin() {
  if (auto ready = core_->CheckReady(); !ready) return ready;
  // The thread that makes room may call this after the stream is destroyed.
  consumer_ = budget_.Join([weak = std::weak_ptr(run_)] {
    if (const auto run = weak.lock()) run->OnAdmitted();
  });
  run_->Offer();
  return {};
}

Result<void> FetchAhead::BeginAwaited() {
  if (auto ready = core_->CheckReady(); !ready) return ready;
  run_->Offer();
  return {};
}

void FetchAhead::Close() {
  run_->Stop();
  run_->Wait();
  const MutexLock lock(mutex_);
  if (const auto consumer = std::exchange(consumer_, std::nullopt)) budget_.Leave(*consumer);
}

void FetchAhead::GiveBack(std::uint64_t charge) {
  const MutexLock lock(mutex_);
  if (consumer_) budget_.Deliver(*consumer_, charge);
}

bool FetchAhead::Admit(const GroupPlan& group) {
  if (!consumer_) return true;
  std::uint64_t charge = 0;
  for (const DownloadSource& source : sources_->Of(group.first, group.count)) charge += ChargeOf(source);
  return budget_.Ask(*consumer_, charge);
}

Result<std::vector<Destination>> FetchAhead::DestinationsOf(const GroupPlan& group) {
  if (is_needed_ && !is_needed_(group.first, group.count)) {
    return Error{ErrorCode::kCancelled, "not needed any more"};
  }
  const bool has_allocator = static_cast<bool>(core_->options().allocator);
  const auto sources = sources_->Of(group.first, group.count);
  std::vector<Destination> destinations;
  destinations.reserve(group.count);
  if (group.ranges == 1 && !has_allocator) {
    for (const DownloadSource& source : sources)
      destinations.push_back({.take = [this, &source] { return Take(source); }});
    return destinations;
  }
  Result<void> all;
  const auto take_all = [&] {
    for (const DownloadSource& source : sources) {
      auto taken = Take(source);
      if (!taken) return void(all = taken.error());
      destinations.push_back(*std::move(taken));
    }
  };
  // The caller's allocator may wait, so it is never called while bytes come. A group goes to its thread once, whatever
  // the number of its objects.
  has_allocator ? RunUserCode(UserCode::kMayWait, take_all) : take_all();
  if (!all) return all.error();
  return destinations;
}

Result<Destination> FetchAhead::Take(const DownloadSource& source) {
  auto memory = Allocate(core_->options().allocator, *blocks_, source.size, [&] { return ToUri(source.object); });
  if (!memory) return memory.error();
  return Destination{{memory->get(), static_cast<std::size_t>(source.size)}, *memory};
}

void FetchAhead::OnGroup(const FinishedGroup& group) {
  std::vector<ArrivedObject> arrived;
  arrived.reserve(group.plan.count);
  const auto sources = sources_->Of(group.plan.first, group.plan.count);
  for (std::size_t i = 0; i < group.plan.count; ++i) {
    DownloadedObject object{.index = group.plan.first + i};
    if (!group.errors.empty() && group.errors[i]) {
      object.error = std::move(group.errors[i]);
    } else {
      object.memory = std::move(group.destinations[i].memory);
      object.bytes = group.destinations[i].bytes;
    }
    arrived.push_back({.object = std::move(object), .charge = ChargeOf(sources[i]), .took = group.took});
  }
  on_arrival_(std::move(arrived));
}

}  // namespace gcsflux::internal
