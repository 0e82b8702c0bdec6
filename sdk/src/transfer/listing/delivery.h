#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "gcsflux/listing.h"

namespace gcsflux::internal::listing {

/// What was found and has not been delivered: as it came, or held back until all that is before it has come. Not
/// thread-safe.
class Delivery {
 public:
  using Batch = std::vector<ListedObject>;
  explicit Delivery(ListingOrder order) : order_(order) {}

  /// Objects in order, none of them between two of another batch.
  void Add(Batch batch);
  /// All names below `frontier` have been added.
  void Release(const std::string& frontier);
  void ReleaseAll();

  [[nodiscard]] std::size_t ready() const { return ready_.size(); }
  /// The next batch of those ready.
  Batch Take();

 private:
  const ListingOrder order_;
  std::map<std::string, Batch> held_;  // by the name of the first
  std::deque<Batch> ready_;
};

}  // namespace gcsflux::internal::listing
