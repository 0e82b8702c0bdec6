#include "dataset/live_listing.h"

#include <iterator>
#include <memory>
#include <stop_token>
#include <utility>

#include "base/either_stop.h"
#include "base/process/start_thread.h"

namespace gcsflux::internal {
namespace {

// Runs until the caller or the owner asks it to stop.
void List(const Client& client, const ObjectName& prefix, ParallelListOptions options, LiveListing& into,
          const std::function<void()>& on_growth, const std::stop_token& stop) {
  const EitherStop ended(options.stop, stop);
  options.stop = ended.token();
  const ListingSink append = [&](std::vector<ListedObject> objects) -> Result<void> {
    into.Append(std::move(objects));
    on_growth();
    return {};
  };
  const auto listed = ListInParallel(client, prefix, DeliveryOrder::kInOrder, append, options);
  into.End(listed ? std::nullopt : std::optional(listed.error()));
  on_growth();
}

}  // namespace

void LiveListing::Append(std::vector<ListedObject> objects) {
  const MutexLock lock(mutex_);
  objects_.insert(objects_.end(), std::make_move_iterator(objects.begin()), std::make_move_iterator(objects.end()));
  state_.known = objects_.size();
}

void LiveListing::End(std::optional<Error> error) {
  const MutexLock lock(mutex_);
  state_.is_over = true;
  state_.error = std::move(error);
}

LiveListing::State LiveListing::state() const {
  const MutexLock lock(mutex_);
  return state_;
}

const ListedObject& LiveListing::At(std::size_t index) const {
  if (all_) return (*all_)[index];
  const MutexLock lock(mutex_);
  return objects_[index];
}

void LiveListing::Visit(std::size_t first, std::size_t last,
                        const std::function<void(const ListedObject&)>& visit) const {
  const MutexLock lock(mutex_);
  for (std::size_t i = first; i < last; ++i) visit(all_ ? (*all_)[i] : objects_[i]);
}

Result<std::unique_ptr<BackgroundListing>> BackgroundListing::Start(const Client& client, const ObjectName& prefix,
                                                                    const ParallelListOptions& options,
                                                                    std::function<void()> on_growth) {
  auto listing = std::unique_ptr<BackgroundListing>(new BackgroundListing());
  auto lister =
      StartThread([client, prefix, options, into = listing->objects_, on_growth = std::move(on_growth)](
                      const std::stop_token& stop) { List(client, prefix, options, *into, on_growth, stop); });
  if (!lister) return lister.error();
  listing->lister_ = *std::move(lister);
  return listing;
}

}  // namespace gcsflux::internal
