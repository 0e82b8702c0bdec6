#include "transfer/download/stream_recipient.h"

#include <algorithm>
#include <string>
#include <utility>

#include "client/client_core.h"
#include "transfer/download/allocate.h"

namespace gcsflux::internal {
namespace {

// Units that are fetched together are admitted together, and there is to be one for each connection.
std::uint64_t MostPerUnit(const DownloaderCore& core) {
  const auto connections = static_cast<std::uint64_t>(std::max(1, core.options().max_concurrency));
  return core.client().core().settings().max_undelivered_bytes / connections;
}

}  // namespace

StreamRecipient::StreamRecipient(std::shared_ptr<const DownloaderCore> core, std::vector<DownloadSource> sources,
                                 const DownloadStreamOptions& options)
    : core_(std::move(core)),
      sources_(std::move(sources)),
      options_(options),
      budget_(core_->client().core().delivery_budget()),
      run_(std::make_shared<DownloadRun>(core_->threads(), core_->MethodFor(sources_, MostPerUnit(*core_)),
                                         sources_.size(), *this)) {}

StreamRecipient::~StreamRecipient() {
  if (has_begun_ && !ended_) Close();
}

Result<std::optional<DownloadedObject>> StreamRecipient::Next() {
  if (made_in_.IsInChild()) {
    return ForkedError(("the stream of " + std::to_string(sources_.size()) + " objects").c_str());
  }
  if (ended_) return *ended_;
  if (delivered_ == sources_.size()) return std::optional<DownloadedObject>();
  if (!has_begun_) {
    if (auto ready = core_->CheckReady(); !ready) return *(ended_ = ready.error());
    Begin();
  }
  auto object = Await();
  if (!object) {
    return End({ErrorCode::kCancelled, "stream of " + std::to_string(sources_.size()) + " objects: cancelled after " +
                                           std::to_string(delivered_)});
  }
  ++delivered_;
  if (object->error && core_->options().on_failure == OnFailure::kFailAll) return End(*object->error);
  budget_.Deliver(consumer_, ChargeOf(object->index));
  return object;
}

void StreamRecipient::Begin() {
  has_begun_ = true;
  // Whoever makes room may call this when the stream is gone.
  consumer_ = budget_.Join([weak = std::weak_ptr(run_)] {
    if (const auto run = weak.lock()) run->OnAdmitted();
  });
  on_stop_.emplace(options_.stop, [this] { OnStop(); });
  run_->Offer();
}

// The next object in its turn; nothing where the stream was asked to stop.
std::optional<DownloadedObject> StreamRecipient::Await() {
  std::unique_lock lock(mutex_);
  const auto is_there = [this] { return !ready_.empty() && ready_.begin()->first == delivered_; };
  came_.wait(lock, [&] { return options_.stop.stop_requested() || is_there(); });
  if (options_.stop.stop_requested()) return std::nullopt;
  return std::move(ready_.extract(ready_.begin()).mapped());
}

Error StreamRecipient::End(Error error) {
  ended_ = std::move(error);
  Close();
  return *ended_;
}

// Ends what is being fetched, and gives back what is held.
void StreamRecipient::Close() {
  on_stop_.reset();
  run_->Stop();
  run_->Wait();
  {
    const std::scoped_lock lock(mutex_);
    ready_.clear();
  }
  budget_.Leave(consumer_);
}

void StreamRecipient::OnStop() {
  run_->Stop();
  const std::scoped_lock lock(mutex_);
  came_.notify_all();
}

std::uint64_t StreamRecipient::ChargeOf(std::size_t index) const {
  constexpr std::uint64_t kBookkeeping = 1024;  // Of what holds an object, so that empty ones are bounded too.
  return sources_[index].size + std::min(kBookkeeping, ~sources_[index].size);
}

bool StreamRecipient::Admit(const UnitPlan& unit) {
  std::uint64_t charge = 0;
  for (std::size_t i = 0; i < unit.count; ++i) charge += ChargeOf(unit.first + i);
  return budget_.Ask(consumer_, charge);
}

Result<std::vector<Destination>> StreamRecipient::DestinationsOf(const UnitPlan& unit) {
  std::vector<Destination> destinations;
  for (std::size_t i = 0; i < unit.count; ++i) {
    const DownloadSource& source = sources_[unit.first + i];
    auto memory = Allocate(core_->options().allocator, source.size, [&] { return ToUri(source.object); });
    if (!memory) return memory.error();
    destinations.push_back({{memory->get(), static_cast<std::size_t>(source.size)}, *memory});
  }
  return destinations;
}

void StreamRecipient::OnUnit(const UnitPlan& unit, std::span<Destination> destinations,
                             std::vector<std::optional<Error>> errors) {
  const bool has_failed = !errors.empty();
  {
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < unit.count; ++i) {
      DownloadedObject object{.index = unit.first + i};
      if (has_failed && errors[i]) {
        object.error = std::move(errors[i]);
      } else {
        object.memory = std::move(destinations[i].memory);
        object.bytes = destinations[i].bytes;
      }
      ready_.emplace(options_.order == DeliveryOrder::kInOrder ? object.index : arrived_++, std::move(object));
    }
    came_.notify_one();
  }
  if (has_failed && core_->options().on_failure == OnFailure::kFailAll) run_->BeginNoMore();
}

}  // namespace gcsflux::internal
