#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataset/given_order.h"
#include "dataset/mix.h"
#include "dataset/permutation.h"
#include "gcsflux/dataset.h"

namespace gcsflux {
namespace {

Error RefuseMix(const std::string& why) { return {ErrorCode::kInvalidArgument, "MixedOrder: " + why}; }

Result<void> CheckMix(const MixOptions& options) {
  const std::size_t datasets = options.sizes.size();
  if (datasets == 0 || options.weights.size() != datasets) {
    return RefuseMix(std::to_string(options.weights.size()) + " weights are given for " + std::to_string(datasets) +
                     " datasets, and each has one");
  }
  for (std::size_t i = 0; i < datasets; ++i) {
    if (options.sizes[i] == 0) return RefuseMix("dataset " + std::to_string(i) + " has no samples; leave it out");
    if (std::isfinite(options.weights[i]) && options.weights[i] > 0) continue;
    return RefuseMix("weight " + std::to_string(i) + " is " + std::to_string(options.weights[i]) +
                     ", and weights are numbers above 0; leave the dataset out if it is not to be used");
  }
  if (options.samples == 0) return RefuseMix("an epoch has at least 1 sample");
  return {};
}

// The samples of an epoch from each dataset: its share, rounded down, and one more for those with the largest rests.
std::vector<std::size_t> SharesOf(const std::vector<double>& weights, std::size_t samples) {
  const double largest = *std::ranges::max_element(weights);  // The sum must not overflow.
  double sum = 0;
  for (const double weight : weights) sum += weight / largest;
  std::vector<std::size_t> shares;
  std::vector<std::pair<double, std::size_t>> rests;
  std::size_t left = samples;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double exact = static_cast<double>(samples) * (weights[i] / largest / sum);
    shares.push_back(std::min(left, static_cast<std::size_t>(exact)));
    left -= shares.back();
    rests.emplace_back(std::floor(exact) - exact, i);  // The largest rest comes first.
  }
  std::ranges::sort(rests);
  for (std::size_t i = 0; left > 0; i = (i + 1) % rests.size(), --left) ++shares[rests[i].second];
  return shares;
}

// The samples of one dataset, in a shuffled order that never ends.
class EndlessSamples {
 public:
  EndlessSamples(std::size_t first, std::size_t size, std::uint64_t seed, std::uint64_t position)
      : first_(first), size_(size), seed_(seed), position_(position) {}

  std::size_t Next() {
    const std::uint64_t pass = position_ / size_;
    if (!order_ || pass_ != pass) order_.emplace(size_, seed_, pass);
    pass_ = pass;
    return first_ + static_cast<std::size_t>((*order_)(position_++ % size_));
  }

 private:
  std::size_t first_;
  std::size_t size_;
  std::uint64_t seed_;
  std::uint64_t position_;
  std::uint64_t pass_ = 0;
  std::optional<internal::Permutation> order_ = {};
};

std::vector<std::size_t> MixOf(const MixOptions& options, const std::vector<std::size_t>& shares, std::uint64_t epoch) {
  std::vector<EndlessSamples> datasets;
  std::vector<std::size_t> ends;  // Of the shares, one after the other.
  std::size_t first = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    // Datasets of the same size have different orders.
    datasets.emplace_back(first, options.sizes[i], internal::Mix(options.seed ^ internal::Mix(i + 1)),
                          epoch * shares[i]);
    first += options.sizes[i];
    ends.push_back((ends.empty() ? 0 : ends.back()) + shares[i]);
  }
  const internal::Permutation places(ends.back(), options.seed, epoch);
  std::vector<std::size_t> samples(ends.back());
  for (std::size_t place = 0; place < samples.size(); ++place) {
    const auto dataset = std::ranges::upper_bound(ends, places(place)) - ends.begin();
    samples[place] = datasets[static_cast<std::size_t>(dataset)].Next();
  }
  return samples;
}

}  // namespace

Result<GivenOrder> MixedOrder(MixOptions options) {
  if (auto checked = CheckMix(options); !checked) return checked.error();
  const std::size_t all = std::accumulate(options.sizes.begin(), options.sizes.end(), std::size_t{0});
  auto shares = SharesOf(options.weights, options.samples.value_or(all));
  GivenOrder order([options = std::move(options), shares = std::move(shares)](std::uint64_t epoch) {
    return MixOf(options, shares, epoch);
  });
  order.shared().made_for = all;
  return order;
}

}  // namespace gcsflux
