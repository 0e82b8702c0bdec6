#include "checkpoint_runs/big_state.h"

#include <torch/types.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

namespace gcsflux::bench {

BigState::BigState(std::int64_t mib) {
  for (std::int64_t i = 0; i < mib / kTensorMib; ++i) {
    const auto count = static_cast<std::int64_t>(kTensorBytes / sizeof(float));
    tensors_.emplace_back("layer" + std::to_string(i), torch::arange(i, i + count, torch::kFloat32));
  }
}

bool BigState::IsSameAs(const NamedTensors& others) const {
  if (others.size() != tensors_.size()) return false;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (!torch::equal(tensors_[i].second, others[i].second)) return false;
  }
  return true;
}

PlainCopy::PlainCopy(const BigState& state) : state_(state), memory_(std::make_unique<std::byte[]>(state.bytes())) {}

double PlainCopy::Seconds() {
  const auto start = BenchClock::now();
  {
    const auto copy_part = [this](std::size_t part) {
      const std::size_t count = state_.tensors().size();
      for (std::size_t i = count * part / kCopyThreads; i < count * (part + 1) / kCopyThreads; ++i) {
        std::memcpy(memory_.get() + i * BigState::kTensorBytes, state_.tensors()[i].second.data_ptr(),
                    BigState::kTensorBytes);
      }
    };
    std::vector<std::jthread> helpers;
    for (std::size_t part = 1; part < kCopyThreads; ++part) helpers.emplace_back(copy_part, part);
    copy_part(0);
  }
  return SecondsSince(start);
}

double MedianMs(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return 1e3 * seconds[seconds.size() / 2];
}

}  // namespace gcsflux::bench
