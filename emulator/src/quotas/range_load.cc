#include "quotas/range_load.h"

#include <algorithm>

#include "base/mix.h"

namespace gcsflux::emulator {
namespace {

// The share of its limit from which a range counts as near it. Below, it can grow without a split.
constexpr double kNear = 0.8;
constexpr std::size_t kSample = 64;

bool IsNear(std::uint64_t requests, double per_second, std::chrono::nanoseconds window) {
  const double limit = per_second * std::chrono::duration<double>(window).count();
  return per_second > 0 && static_cast<double>(requests) >= kNear * limit;
}

}  // namespace

void RangeLoad::Record(Clock::Time now, const Limits& limits, bool is_write, const std::string& name) {
  if (!window_begin_) window_begin_ = now;
  if (now >= *window_begin_ + limits.window) {
    CloseWindow(limits);
    const auto passed = (now - *window_begin_) / limits.window;
    if (passed > 1) hot_windows_ = 0;  // whole windows without a request
    *window_begin_ += passed * limits.window;
  }
  ++requests_[is_write ? 1 : 0];
  Sample(name);
}

void RangeLoad::CloseWindow(const Limits& limits) {
  const bool is_hot = IsNear(requests_[0], limits.reads_per_second, limits.window) ||
                      IsNear(requests_[1], limits.writes_per_second, limits.window);
  requests_ = {};
  hot_windows_ = is_hot ? hot_windows_ + 1 : 0;
  if (is_hot) return;
  sampled_from_ = 0;
  sample_.clear();
}

// Each name with the same probability (Vitter's algorithm R). The random numbers are the same in every run.
void RangeLoad::Sample(const std::string& name) {
  const std::uint64_t number = sampled_from_++;
  if (sample_.size() < kSample) {
    sample_.push_back(name);
  } else if (const std::uint64_t place = Mix(number) % (number + 1); place < kSample) {
    sample_[place] = name;
  }
}

std::optional<std::string> RangeLoad::Median() const {
  std::vector<std::string> names = sample_;
  std::sort(names.begin(), names.end());
  if (names.empty() || names.front() == names.back()) return std::nullopt;
  const std::string& median = names[names.size() / 2];
  return median != names.front() ? median : *std::upper_bound(names.begin(), names.end(), median);
}

}  // namespace gcsflux::emulator
