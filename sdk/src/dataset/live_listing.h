#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/process/mutex.h"
#include "gcsflux/client.h"
#include "gcsflux/listing.h"

namespace gcsflux::internal {

/// Objects in bytewise order of their names, while the listing runs; or all objects of a dataset, in any order.
/// Thread-safe.
class LiveListing {
 public:
  struct State {
    std::size_t known = 0;
    bool is_over = false;
    std::optional<Error> error = {};  ///< Why it ended early.
  };

  LiveListing() = default;
  /// All objects, at once.
  explicit LiveListing(std::shared_ptr<const std::vector<ListedObject>> all)
      : all_(std::move(all)), state_{.known = all_->size(), .is_over = true} {}

  /// Adds the next objects.
  void Append(std::vector<ListedObject> objects);
  /// Call it when there are no more objects.
  void End(std::optional<Error> error = {});

  [[nodiscard]] State state() const;
  /// For a known index. Valid as long as the listing.
  [[nodiscard]] const ListedObject& At(std::size_t index) const;
  /// Visits the objects in [first, last), in order.
  void Visit(std::size_t first, std::size_t last, const std::function<void(const ListedObject&)>& visit) const;

 private:
  const std::shared_ptr<const std::vector<ListedObject>> all_ = {};
  mutable Mutex mutex_;
  std::deque<ListedObject> objects_ GUARDED_BY(mutex_);  // Its elements never move.
  State state_ GUARDED_BY(mutex_);
};

/// Lists a prefix on its own thread. The destructor ends the listing.
class BackgroundListing {
 public:
  /// The thread calls `on_growth` whenever more objects are known, and at the end.
  static Result<std::unique_ptr<BackgroundListing>> Start(const Client& client, const ObjectName& prefix,
                                                          const ParallelListOptions& options,
                                                          std::function<void()> on_growth);

  [[nodiscard]] const std::shared_ptr<LiveListing>& objects() const { return objects_; }

 private:
  BackgroundListing() = default;
  const std::shared_ptr<LiveListing> objects_ = std::make_shared<LiveListing>();
  std::jthread lister_;
};

}  // namespace gcsflux::internal
