#include "dataset/given_order.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <string>
#include <utility>

#include "dataset/epoch_plan.h"
#include "dataset/mix.h"

namespace gcsflux {
namespace {

constexpr std::uint64_t kEpochsAhead = 2;  // A short epoch is fetched whole while the one before it is used.

Error RefuseGiven(std::uint64_t epoch, const std::string& why) {
  return {ErrorCode::kInvalidArgument, "GivenOrder: the order of epoch " + std::to_string(epoch) + " " + why};
}

std::uint64_t HashOf(const std::vector<std::size_t>& indices) {
  std::uint64_t hash = indices.size();
  for (const std::size_t index : indices) hash = internal::Mix(hash ^ index);
  return hash == 0 ? 1 : hash;  // 0 is the hash at the beginning of an epoch.
}

// A number in (0, 1], determined by the seed, the epoch and the draw.
double UniformAt(std::uint64_t seed, std::uint64_t epoch, std::uint64_t draw) {
  using internal::Mix;
  const std::uint64_t bits = Mix(Mix(Mix(seed) ^ Mix(epoch + 0x510E527FADE682D1)) ^ draw) >> 11;  // 53 of them
  return static_cast<double>(bits + 1) * 0x1p-53;
}

struct Draw {
  std::size_t samples = 0;
  bool with_replacement = true;
  std::uint64_t seed = 0;
};

std::vector<std::size_t> DrawWithReplacement(const std::vector<double>& sums, const Draw& draw, std::uint64_t epoch) {
  std::vector<std::size_t> drawn(draw.samples);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double at = UniformAt(draw.seed, epoch, i) * sums.back();
    // The first sum that is not below: a weight of 0 adds nothing to the sum before it, so it is never found.
    drawn[i] = static_cast<std::size_t>(std::ranges::lower_bound(sums, at) - sums.begin());
  }
  return drawn;
}

// Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006: the samples with the largest
// u^(1/weight), in their order.
std::vector<std::size_t> DrawWithoutReplacement(const std::vector<double>& weights, const Draw& draw,
                                                std::uint64_t epoch) {
  std::vector<std::pair<double, std::size_t>> keys;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) keys.emplace_back(-std::log(UniformAt(draw.seed, epoch, i)) / weights[i], i);
  }
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(draw.samples);
  std::partial_sort(keys.begin(), end, keys.end());
  std::vector<std::size_t> drawn;
  drawn.reserve(draw.samples);
  std::transform(keys.begin(), end, std::back_inserter(drawn), [](const auto& key) { return key.second; });
  return drawn;
}

Result<GivenOrder::Shared::Epoch> CallFor(const GivenOrder::Shared& order, std::uint64_t epoch) try {
  GivenOrder::Shared::Epoch called{.indices = order.indices_of(epoch)};
  called.hash = HashOf(called.indices);
  return called;
} catch (const std::exception& thrown) {
  return RefuseGiven(epoch, std::string("cannot be made: the caller's function threw: ") + thrown.what());
} catch (...) {
  return RefuseGiven(epoch, "cannot be made: the caller's function threw something");
}

Result<void> CheckIndices(const EpochOptions& options, const GivenOrder::Shared::Epoch& called, std::uint64_t epoch,
                          std::uint64_t count) {
  const auto& made_for = options.given->shared().made_for;
  if (made_for && *made_for != count) {
    return Error{ErrorCode::kInvalidArgument, "GivenOrder: weights are given for " + std::to_string(*made_for) +
                                                  " samples, and there are " + std::to_string(count)};
  }
  const auto past = std::ranges::find_if(called.indices, [&](std::size_t index) { return index >= count; });
  if (past != called.indices.end()) {
    return RefuseGiven(epoch,
                       "has index " + std::to_string(*past) + ", and there are " + std::to_string(count) + " samples");
  }
  EpochOptions by_name = options;
  by_name.given.reset();
  by_name.order = SampleOrder::kByName;  // It has as many batches.
  if (internal::EpochPlan(by_name, called.indices.size(), epoch, 0).batches() > 0) return {};
  return RefuseGiven(epoch, "has " + std::to_string(called.indices.size()) + " samples, and no batch for rank " +
                                std::to_string(options.rank) + "; lower EpochOptions::batch_size or world_size");
}

Result<GivenOrder> DrawnBy(std::vector<double> weights, const Draw& draw) {
  const auto refuse = [](const std::string& why) {
    return Error{ErrorCode::kInvalidArgument, "weighted order: " + why};
  };
  const auto is_wrong = [](double weight) { return !std::isfinite(weight) || weight < 0; };
  if (const auto wrong = std::ranges::find_if(weights, is_wrong); wrong != weights.end()) {
    return refuse("weight " + std::to_string(wrong - weights.begin()) + " is " + std::to_string(*wrong) +
                  ", and weights are numbers of at least 0");
  }
  const auto positive =
      static_cast<std::size_t>(std::ranges::count_if(weights, [](double weight) { return weight > 0; }));
  if (positive == 0) return refuse("no weight is above 0");
  if (draw.samples == 0) return refuse("at least 1 sample must be drawn");
  if (!draw.with_replacement && draw.samples > positive) {
    return refuse(std::to_string(draw.samples) +
                  " samples cannot be drawn without replacement: " + std::to_string(positive) + " weights are above 0");
  }
  std::vector<double> sums;
  if (draw.with_replacement) {
    const double largest = *std::ranges::max_element(weights);  // The sum must not overflow.
    double sum = 0;
    for (const double weight : weights) sums.push_back(sum += weight / largest);
  }
  const std::size_t count = weights.size();
  GivenOrder order([draw, weights = std::move(weights), sums = std::move(sums)](std::uint64_t epoch) {
    return draw.with_replacement ? DrawWithReplacement(sums, draw, epoch)
                                 : DrawWithoutReplacement(weights, draw, epoch);
  });
  order.shared().made_for = count;
  return order;
}

}  // namespace

GivenOrder::GivenOrder(std::function<std::vector<std::size_t>(std::uint64_t epoch)> indices_of)
    : shared_(std::make_shared<Shared>()) {
  shared_->indices_of = std::move(indices_of);
}

GivenOrder::GivenOrder(std::vector<std::size_t> indices)
    : GivenOrder([indices = std::move(indices)](std::uint64_t) { return indices; }) {}

Result<GivenOrder> GivenOrder::Weighted(std::vector<double> weights, std::size_t samples, std::uint64_t seed) {
  return DrawnBy(std::move(weights), {.samples = samples, .seed = seed});
}

Result<GivenOrder> GivenOrder::WeightedWithoutReplacement(std::vector<double> weights, std::size_t samples,
                                                          std::uint64_t seed) {
  return DrawnBy(std::move(weights), {.samples = samples, .with_replacement = false, .seed = seed});
}

namespace internal {

Result<void> PrepareGiven(const EpochOptions& options, std::uint64_t count, std::uint64_t epoch) {
  if (options.sample_order() != SampleOrder::kGiven || FindGiven(options, epoch)) return {};
  GivenOrder::Shared& order = options.given->shared();
  const MutexLock calling(order.calling);
  if (FindGiven(options, epoch)) return {};
  auto called = CallFor(order, epoch);
  if (!called) return called.error();
  if (auto checked = CheckIndices(options, *called, epoch, count); !checked) return checked;
  auto known = std::make_shared<const GivenOrder::Shared::Epoch>(*std::move(called));
  const MutexLock lock(order.mutex);
  order.known[epoch] = std::move(known);
  // A loop uses an epoch and those ahead, and the sampler of a loader may still be at the epoch before.
  while (order.known.size() > kEpochsAhead + 2) {
    const bool is_later = epoch > order.known.begin()->first;
    order.known.erase(is_later ? order.known.begin() : std::prev(order.known.end()));
  }
  return {};
}

Result<void> PrepareGivenFrom(const EpochOptions& options, std::uint64_t count, std::uint64_t epoch) {
  if (auto prepared = PrepareGiven(options, count, epoch); !prepared) return prepared;
  for (std::uint64_t ahead = epoch + 1; ahead <= epoch + kEpochsAhead; ++ahead) {
    if (options.epochs && ahead >= *options.epochs) break;
    if (!PrepareGiven(options, count, ahead)) break;  // It fails again when its loop begins.
  }
  return {};
}

GivenEpoch FindGiven(const EpochOptions& options, std::uint64_t epoch) {
  if (options.sample_order() != SampleOrder::kGiven) return nullptr;
  GivenOrder::Shared& order = options.given->shared();
  const MutexLock lock(order.mutex);
  const auto found = order.known.find(epoch);
  return found == order.known.end() ? nullptr : found->second;
}

std::uint64_t SamplesOfEpoch(const EpochOptions& options, std::uint64_t count, std::uint64_t epoch) {
  if (options.sample_order() != SampleOrder::kGiven) return count;
  const GivenEpoch given = FindGiven(options, epoch);
  return given ? given->indices.size() : 0;
}

std::uint64_t OrderHashAt(const EpochOptions& options, std::uint64_t epoch, std::uint64_t consumed) {
  const GivenEpoch given = consumed == 0 ? nullptr : FindGiven(options, epoch);
  return given ? given->hash : 0;
}

}  // namespace internal
}  // namespace gcsflux
