#include "transfer/listing/delivery.h"

#include <utility>

namespace gcsflux::internal::listing {

void Delivery::Add(Batch batch) {
  if (batch.empty()) return;
  if (order_ == DeliveryOrder::kAsCompleted) {
    ready_.push_back(std::move(batch));
  } else {
    std::string first = batch.front().name;
    held_.emplace(std::move(first), std::move(batch));
  }
}

void Delivery::Release(const std::string& frontier) {
  while (!held_.empty() && held_.begin()->first < frontier) {
    ready_.push_back(std::move(held_.begin()->second));
    held_.erase(held_.begin());
  }
}

void Delivery::ReleaseAll() {
  for (auto& [first, batch] : held_) ready_.push_back(std::move(batch));
  held_.clear();
}

Delivery::Batch Delivery::Take() {
  Batch batch = std::move(ready_.front());
  ready_.pop_front();
  return batch;
}

}  // namespace gcsflux::internal::listing
