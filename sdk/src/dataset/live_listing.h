#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/listing.h"

namespace gcsflux::internal {

/// The objects under a prefix, in bytewise order of their names, while they are listed. Thread-safe.
class LiveListing {
 public:
  /// Of objects that are listed already.
  explicit LiveListing(std::vector<ListedObject> objects);
  /// Nothing yet: see Start().
  LiveListing() = default;
  ~LiveListing();
  LiveListing(const LiveListing&) = delete;
  LiveListing& operator=(const LiveListing&) = delete;

  /// Lists on a thread of its own. `on_growth` is called by that thread whenever more is known, and at the end. Once.
  Result<void> Start(const Client& client, const ObjectName& prefix, const ParallelListOptions& options,
                     std::function<void()> on_growth);
  /// Ends the listing, and waits for its thread.
  void Stop();

  struct State {
    std::size_t known = 0;
    bool is_over = false;
    std::optional<Error> error = {};  ///< Why it is over before its end.
  };
  [[nodiscard]] State state() const;

  /// Of an index that is known. It stays as long as the listing.
  [[nodiscard]] const ListedObject& At(std::size_t index) const;
  /// Several of them, in order.
  void Visit(std::size_t first, std::size_t last, const std::function<void(const ListedObject&)>& visit) const;

 private:
  mutable std::mutex mutex_;
  std::deque<ListedObject> objects_;  // Guarded by mutex_. Those that are there never move.
  State state_;                       // Guarded by mutex_.
  std::jthread lister_;
};

}  // namespace gcsflux::internal
