#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "gcsflux/listing.h"

namespace gcsflux::internal::listing {

/// Objects that were found and are not delivered yet: in the order of arrival, or held until all earlier names have
/// come. Not thread-safe.
class Delivery {
 public:
  using Batch = std::vector<ListedObject>;
  explicit Delivery(DeliveryOrder order) : order_(order) {}

  /// Objects in order; no other batch has names between theirs.
  void Add(Batch batch);
  /// All names below `frontier` have been added.
  void Release(const std::string& frontier);
  void ReleaseAll();

  [[nodiscard]] std::size_t ready() const { return ready_.size(); }
  /// The next batch of those ready.
  Batch Take();

 private:
  const DeliveryOrder order_;
  std::map<std::string, Batch> held_;  // by their first names
  std::deque<Batch> ready_;
};

}  // namespace gcsflux::internal::listing
