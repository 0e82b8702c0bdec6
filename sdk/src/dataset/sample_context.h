#pragma once

#include <cstddef>
#include <cstdint>

#include "dataset/mix.h"
#include "gcsflux/dataset.h"

namespace gcsflux::internal {

/// The context of a sample in an epoch of an order with this seed. The samples of an epoch have different seeds. A pure
/// function: the thread that makes the sample and the position where the run began make no difference.
constexpr SampleContext ContextOf(std::uint64_t order_seed, std::uint64_t epoch, std::size_t index) {
  // The constant separates the seeds from the numbers that the order itself is made of.
  const std::uint64_t of_epoch = Mix(order_seed) ^ Mix(epoch + 0xBB67AE8584CAA73B);
  return {.epoch = epoch, .index = index, .seed = Mix(Mix(of_epoch) ^ Mix(index))};
}

}  // namespace gcsflux::internal
