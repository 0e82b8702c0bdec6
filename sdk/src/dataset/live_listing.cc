#include "dataset/live_listing.h"

#include <iterator>
#include <stop_token>
#include <utility>

#include "base/start_thread.h"

namespace gcsflux::internal {

LiveListing::LiveListing(std::vector<ListedObject> objects)
    : objects_(std::make_move_iterator(objects.begin()), std::make_move_iterator(objects.end())),
      state_{.known = objects_.size(), .is_over = true} {}

LiveListing::~LiveListing() { Stop(); }

Result<void> LiveListing::Start(const Client& client, const ObjectName& prefix, const ParallelListOptions& options,
                                std::function<void()> on_growth) {
  auto lister = StartThread(
      [this, client, prefix, options, on_growth = std::move(on_growth)](const std::stop_token& stop) mutable {
        std::stop_source ended;
        const std::stop_callback by_caller(options.stop, [&] { ended.request_stop(); });
        const std::stop_callback by_owner(stop, [&] { ended.request_stop(); });
        ParallelListOptions listing = options;
        listing.stop = ended.get_token();
        const ListingSink append = [&](std::vector<ListedObject> objects) -> Result<void> {
          {
            const std::scoped_lock lock(mutex_);
            objects_.insert(objects_.end(), std::make_move_iterator(objects.begin()),
                            std::make_move_iterator(objects.end()));
            state_.known = objects_.size();
          }
          on_growth();
          return {};
        };
        const auto listed = ListInParallel(client, prefix, ListingOrder::kByName, append, listing);
        {
          const std::scoped_lock lock(mutex_);
          state_.is_over = true;
          if (!listed) state_.error = listed.error();
        }
        on_growth();
      });
  if (!lister) return lister.error();
  lister_ = *std::move(lister);
  return {};
}

void LiveListing::Stop() {
  lister_.request_stop();
  if (lister_.joinable()) lister_.join();
}

LiveListing::State LiveListing::state() const {
  const std::scoped_lock lock(mutex_);
  return state_;
}

const ListedObject& LiveListing::At(std::size_t index) const {
  const std::scoped_lock lock(mutex_);
  return objects_[index];
}

void LiveListing::Visit(std::size_t first, std::size_t last,
                        const std::function<void(const ListedObject&)>& visit) const {
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = first; i < last; ++i) visit(objects_[i]);
}

}  // namespace gcsflux::internal
