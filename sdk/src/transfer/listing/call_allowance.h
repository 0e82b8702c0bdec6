#pragma once

#include <cstddef>

namespace gcsflux::internal::listing {

/// Bounds what a listing spends: an extra call, one that the sequential listing would not make, is allowed while
///     calls + ranges that still need one + 1 <= max_concurrency + factor x names / page.
/// Names listed earn calls. Nearly at the bound, half of what is left is spent per round trip at most, since guesses
/// that are made a page later know more.
class CallAllowance {
 public:
  CallAllowance(std::size_t max_concurrency, double factor, std::size_t page_size)
      : max_concurrency_(max_concurrency), factor_(factor), page_size_(page_size) {}

  /// How many extra calls may begin now. `calls` counts the calls so far, and the ranges that still need one.
  std::size_t At(double seconds, std::size_t calls, std::size_t names);
  void Spend(std::size_t calls) { spent_ += calls; }

 private:
  const std::size_t max_concurrency_;
  const double factor_;
  const std::size_t page_size_;
  double round_begin_ = -1;
  std::size_t spent_ = 0;  // in this round
};

}  // namespace gcsflux::internal::listing
