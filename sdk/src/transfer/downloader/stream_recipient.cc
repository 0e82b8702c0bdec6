#include "transfer/downloader/stream_recipient.h"

#include <string>
#include <utility>

namespace gcsflux::internal {

StreamRecipient::StreamRecipient(std::shared_ptr<const DownloaderCore> core, std::vector<DownloadSource> sources,
                                 DeliveryOrder order, std::stop_token stop)
    : sources_(std::move(sources)),
      order_(order),
      stop_(std::move(stop)),
      ahead_(
          std::move(core), std::make_unique<SourceWindow>(sources_),
          [this](std::vector<ArrivedObject> objects) { OnArrival(std::move(objects)); },
          [this](const Error& error) { OnEnd(error); }) {}

StreamRecipient::~StreamRecipient() { Close(); }

Result<std::optional<DownloadedObject>> StreamRecipient::Next() {
  if (!owner_.IsCurrent()) {
    return owner_.Refuse(("the stream of " + std::to_string(sources_.size()) + " objects").c_str());
  }
  if (ended_) return *ended_;
  if (delivered_ == sources_.size()) return std::optional<DownloadedObject>();
  if (!has_begun_) {
    if (auto begun = Begin(); !begun) return *(ended_ = begun.error());
  }
  auto arrived = Await();
  if (!arrived) return End(arrived.error());
  DownloadedObject& object = arrived->object;
  if (object.error && !ahead_.core().options().delivers_failures) return End(*object.error);
  ahead_.GiveBack(arrived->charge);
  return std::optional(std::move(object));
}

Result<void> StreamRecipient::Begin() {
  has_begun_ = true;
  if (auto begun = ahead_.Begin(); !begun) return begun;
  on_stop_.emplace(stop_, [this] { OnStop(); });
  return {};
}

// The next object in order.
Result<ArrivedObject> StreamRecipient::Await() {
  MutexLock lock(mutex_);
  arrivals_.Wait(lock, [&]() REQUIRES(mutex_) { return stop_.stop_requested() || failure_ || IsNextReady(); });
  if (stop_.stop_requested()) {
    return Error{ErrorCode::kCancelled, "stream of " + std::to_string(sources_.size()) + " objects: cancelled after " +
                                            std::to_string(delivered_)};
  }
  if (!IsNextReady()) return *failure_;
  ++delivered_;
  auto node = ready_.extract(ready_.begin());
  Result<ArrivedObject> arrived = std::move(node.mapped());
  spare_.push_back(std::move(node));
  return arrived;
}

Error StreamRecipient::End(Error error) {
  ended_ = std::move(error);
  Close();
  return *ended_;
}

// Cancels the fetches in progress, and releases the held objects.
void StreamRecipient::Close() {
  on_stop_.reset();
  ahead_.Close();
  const MutexLock lock(mutex_);
  ready_.clear();
}

void StreamRecipient::OnStop() {
  ahead_.Stop();
  const MutexLock lock(mutex_);
  arrivals_.NotifyAll();
}

void StreamRecipient::OnEnd(const Error& error) {
  const MutexLock lock(mutex_);
  failure_ = error;
  arrivals_.NotifyAll();
}

void StreamRecipient::Add(std::size_t turn, ArrivedObject&& arrived) {
  if (spare_.empty()) {
    ready_.emplace(turn, std::move(arrived));
    return;
  }
  auto node = std::move(spare_.back());
  spare_.pop_back();
  node.key() = turn;
  node.mapped() = std::move(arrived);
  ready_.insert(std::move(node));
}

void StreamRecipient::OnArrival(std::vector<ArrivedObject> objects) {
  bool has_failed = false;
  {
    const MutexLock lock(mutex_);
    const bool was_ready = IsNextReady();
    for (ArrivedObject& arrived : objects) {
      has_failed = has_failed || arrived.object.error;
      const std::size_t turn = order_ == DeliveryOrder::kInOrder ? arrived.object.index : arrived_++;
      Add(turn, std::move(arrived));
    }
    if (!was_ready && IsNextReady()) arrivals_.NotifyAll();
  }
  if (has_failed && !ahead_.core().options().delivers_failures) ahead_.BeginNoMore();
}

}  // namespace gcsflux::internal
