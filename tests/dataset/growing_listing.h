#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "dataset/live_listing.h"

namespace gcsflux::testing {

inline ListedObject Named(std::size_t index) {
  return {.name = std::to_string(100'000 + index), .generation = static_cast<std::int64_t>(index) + 1};
}

/// A listing of this many objects that grows on request; after the last one it is complete.
class GrowingListing {
 public:
  explicit GrowingListing(std::size_t count) : count_(count) {}

  void Grow(std::size_t by) {
    std::vector<ListedObject> more;
    for (const std::size_t end = std::min(count_, known_ + by); known_ < end; ++known_) more.push_back(Named(known_));
    listing_->Append(std::move(more));
    if (known_ == count_) listing_->End();
  }
  [[nodiscard]] std::size_t known() const { return known_; }
  [[nodiscard]] const std::shared_ptr<internal::LiveListing>& listing() const { return listing_; }

 private:
  const std::size_t count_;
  std::size_t known_ = 0;
  const std::shared_ptr<internal::LiveListing> listing_ = std::make_shared<internal::LiveListing>();
};

}  // namespace gcsflux::testing
